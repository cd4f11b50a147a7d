#include "CStoreCalls.h"
