import Models
import Sync

extension JSONValue {
    /// Returns the content of a message; throws `refused` for several files.
    static func content(
        of item: OutboxItem, relation: JSONValue?
    ) throws(BackendError) -> JSONValue {
        var content: [String: JSONValue] = [:]
        var own: [String: JSONValue] = ["request_id": .string(item.requestID.rawValue)]
        guard let new = item.newMessage, new.files.count < 2 else { throw .lacking(.multipleFiles) }
        if let file = item.uploadedFile(at: 0) ?? new.files.first?.info {
            content = self.content(of: file, caption: new.text)
        } else {
            content["msgtype"] = "m.text"
            content["body"] = .string(new.text)
        }
        set(new, &content, &own)
        content["dev.scrollback"] = .object(own)
        content["m.relates_to"] = relation
        return .object(content)
    }

    private static func content(of file: FileInfo, caption: String) -> [String: JSONValue] {
        let name = file.name ?? "file"
        let kind = file.mimeType?.split(separator: "/").first.map(String.init) ?? ""
        let isMedia = ["image", "video", "audio"].contains(kind)
        var info: [String: JSONValue] = [:]
        info["mimetype"] = file.mimeType.map { .string($0) }
        info["size"] = file.size.map { .int(Int64($0)) }
        return [
            "msgtype": .string(isMedia ? "m.\(kind)" : "m.file"),
            "body": .string(caption.isEmpty ? name : caption), "filename": .string(name),
            "url": .string(file.url), "info": .object(info),
        ]
    }

    private static func set(
        _ params: NewMessage, _ content: inout [String: JSONValue],
        _ own: inout [String: JSONValue]
    ) {
        if !params.data.isEmpty { own["data"] = .string(params.data) }
        if !params.customType.isEmpty { own["custom_type"] = .string(params.customType) }
        if !params.extra.isEmpty { own["extra"] = .object(params.extra) }
        if let html = params.metaArrays.first(where: { $0.key == MetaArrayKey.html })?.values.first
        {
            content["format"] = "org.matrix.custom.html"
            content["formatted_body"] = .string(html)
        }
        let others = params.metaArrays.filter { !MetaArrayKey.all.contains($0.key) }
        if !others.isEmpty {
            own["meta_arrays"] = .array(
                others.map {
                    ["key": .string($0.key), "value": .array($0.values.map { .string($0) })]
                })
        }
        own["mention_template"] = params.mentionedMessageTemplate.map { .string($0) }
        content["m.mentions"] = mentions(params.mentionType, params.mentionedUserIDs)
    }

    private static func mentions(_ type: MentionType, _ users: [UserID]) -> JSONValue {
        var mentions: [String: JSONValue] = [:]
        if type == .channel { mentions["room"] = true }
        if !users.isEmpty { mentions["user_ids"] = .array(users.map { .string($0.rawValue) }) }
        return .object(mentions)
    }

    /// Returns an edit that keeps the fields it does not set, even those that only other clients
    /// know.
    static func edit(
        _ update: MessageUpdate, of current: JSONValue, _ id: MessageID
    ) -> JSONValue {
        guard case .object(var content) = current else { return current }
        content["m.relates_to"] = nil
        var own: [String: JSONValue] = [:]
        if case .object(let fields) = content["dev.scrollback"] { own = fields }
        switch update {
        case .text(let params): change(params, &content, &own)
        case .file(let params): change(params, &content, &own)
        }
        content["dev.scrollback"] = .object(own)
        var edit = content
        // Clients that do not support edits show this text.
        edit["body"] = .string("* \(content["body"]?.string ?? "")")
        edit["m.new_content"] = .object(content)
        edit["m.relates_to"] = ["rel_type": "m.replace", "event_id": .string(id.rawValue)]
        return .object(edit)
    }

    private static func change(
        _ params: some MessageUpdateParams, _ content: inout [String: JSONValue],
        _ own: inout [String: JSONValue]
    ) {
        if let text = params.text {
            content["body"] = .string(text)
            // Clients would show the old formatted text.
            content["formatted_body"] = nil
            content["format"] = nil
        }
        if let data = params.data { own["data"] = .string(data) }
        if let type = params.customType { own["custom_type"] = .string(type) }
        if let template = params.mentionedMessageTemplate {
            own["mention_template"] = .string(template)
        }
        if params.mentionType != nil || !params.mentionedUserIDs.isEmpty {
            content["m.mentions"] = mentions(params.mentionType ?? .users, params.mentionedUserIDs)
        }
    }

    static func reply(to parent: MessageID) -> JSONValue {
        ["m.in_reply_to": ["event_id": .string(parent.rawValue)]]
    }

    static func reply(to answered: MessageID?, inThread root: String) -> JSONValue {
        [
            "rel_type": "m.thread", "event_id": .string(root),
            // Clients that do not support threads show a reply.
            "is_falling_back": .bool(answered == nil),
            "m.in_reply_to": ["event_id": .string(answered?.rawValue ?? root)],
        ]
    }
}

extension UploadableFile {
    fileprivate var info: FileInfo? {
        url.map { FileInfo(url: $0, name: name, mimeType: mimeType, size: size) }
    }
}

extension UploadableFile {
    /// The media type; by default that of files with the name's extension.
    var mediaType: String? {
        if let mimeType, !mimeType.isEmpty { return mimeType }
        return name.flatMap { UploadableFile.mimeType(ofFileNamed: $0) }
    }
}
