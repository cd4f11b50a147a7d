// Nothing to build: this target stands in the manifest for its one dependency.
