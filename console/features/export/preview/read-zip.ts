/** Reads a part of a zip archive that is whole (APPNOTE.TXT of PKWARE, 4.3). */

const endSignature = 0x06054b50
const endBytes = 22
const entryBytes = 46
const headBytes = 30

/** The place of the record at the end, which a comment may follow. */
const findEnd = (view: DataView): number => {
  for (let at = view.byteLength - endBytes; at >= 0; at -= 1)
    if (view.getUint32(at, true) === endSignature) return at
  throw new Error('This is not a zip archive.')
}

type Entry = { readonly name: string; readonly data: Uint8Array<ArrayBuffer> }

function* entriesOf(bytes: Uint8Array<ArrayBuffer>): Generator<Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const nameBytes = view.getUint16(at + 28, true)
    const head = view.getUint32(at + 42, true)
    const begin =
      head + headBytes + view.getUint16(head + 26, true) + view.getUint16(head + 28, true)
    const name = new TextDecoder().decode(
      bytes.subarray(at + entryBytes, at + entryBytes + nameBytes),
    )
    yield { name, data: bytes.subarray(begin, begin + view.getUint32(at + 20, true)) }
    at += entryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
}

/** The text of a part, which is compressed as all parts of a workbook are. */
export const readZipPart = async (
  bytes: Uint8Array<ArrayBuffer>,
  wanted: string,
): Promise<string> => {
  const entry = [...entriesOf(bytes)].find(({ name }) => name === wanted)
  if (!entry) throw new Error(`The archive has no part ${wanted}.`)
  const inflated = new Blob([entry.data])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(inflated).text()
}
