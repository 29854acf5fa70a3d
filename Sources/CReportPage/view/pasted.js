/** Reads postbacks that are pasted, as Apple or a forwarder sent them, and bytes. Nothing here needs a browser. */
const pasted = (function () {
  const bytesOf = base64 => Uint8Array.from(atob(base64.replace(/-/g, "+").replace(/_/g, "/")), one => one.charCodeAt(0));
  const textOf = bytes => new TextDecoder("utf-8").decode(bytes);

  /** The fields of a postback within a JSON value, by the names of columns; null without a transaction id. */
  function fieldsIn(value, depth = 0) {
    if (typeof value === "string" && depth < 4) {
      const parts = value.split(".");
      try {
        return fieldsIn(JSON.parse(parts.length === 3 ? textOf(bytesOf(parts[1])) : value), depth + 1);
      } catch (_) {
        return null;
      }
    }
    if (typeof value !== "object" || value === null || depth > 4) return null;
    const id = value["transaction-id"] || value["transaction_id"] || value["postback-identifier"];
    if (typeof id === "string") {
      return Object.fromEntries(Object.entries({ ...value, "transaction-id": id }).filter(([name, one]) =>
        name !== "postback-identifier" && typeof one !== "object").map(([name, one]) => [columnOf(name), String(one)]));
    }
    for (const [name, one] of Object.entries(value)) {
      const found = fieldsIn(one, depth + 1);
      if (found === null) continue;
      // The fields beside a signed text are not signed, and belong to the postback too.
      const beside = name === "jws-string" ? Object.entries(value).filter(([other, content]) => other !== name && typeof content !== "object") : [];
      return { ...found, ...Object.fromEntries(beside.map(([other, content]) => [columnOf(other), String(content)])) };
    }
    return null;
  }

  /** Columns that are not named as the field with other signs between the words. */
  const others = { "advertised-item-identifier": "app_id", "ad-network-identifier": "ad_network_id", "publisher-item-identifier": "source_app_id",
    "source-identifier": "source_identifier" };
  const columnOf = name => others[name] || name.replace(/-/g, "_");

  /** The id that a text asks for, and the fields if the text is a whole postback; null if there is none in it. */
  function read(text) {
    const words = text.trim();
    if (/^[\w.:-]{1,200}$/.test(words) && words.split(".").length !== 3) return { id: words, fields: null };
    let fields = null;
    try {
      fields = fieldsIn(JSON.parse(words));
    } catch (_) {
      fields = fieldsIn(words);
    }
    return fields === null ? null : { id: fields.transaction_id, fields };
  }

  /** Bytes in lines of 16, with the text beside them. */
  function dump(bytes, most = 4096) {
    const rows = [];
    for (let at = 0; at < Math.min(bytes.length, most); at += 16) {
      const part = Array.from(bytes.slice(at, at + 16));
      rows.push(at.toString(16).padStart(6, "0") + "  " + part.map(one => one.toString(16).padStart(2, "0")).join(" ").padEnd(48)
        + " " + part.map(one => one >= 32 && one < 127 ? String.fromCharCode(one) : ".").join(""));
    }
    return rows.join("\n") + (bytes.length > most ? "\n… " + (bytes.length - most) + " more bytes" : "");
  }

  return { read, dump, bytesOf, textOf };
})();
