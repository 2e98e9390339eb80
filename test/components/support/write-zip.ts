/** A zip archive as the service writes a workbook (APPNOTE.TXT of PKWARE, 4.3); nobody checks its sums here. */

type Bytes = Uint8Array<ArrayBuffer>

const joined = async (...parts: readonly Bytes[]): Promise<Bytes> =>
  new Uint8Array(await new Blob([...parts]).arrayBuffer())

const deflated = async (text: string): Promise<Bytes> => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A record of so many bytes, with numbers of four bytes at places. */
const recordOf = (size: number, numbers: Readonly<Record<number, number>>): Bytes => {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  for (const [at, number] of Object.entries(numbers)) view.setUint32(Number(at), number, true)
  return bytes
}

const deflate = 8

/** By path. */
export const writeZip = async (parts: Readonly<Record<string, string>>): Promise<Bytes> => {
  let files: Bytes = new Uint8Array()
  let entries: Bytes = new Uint8Array()
  for (const [path, text] of Object.entries(parts)) {
    const name = new TextEncoder().encode(path)
    const data = await deflated(text)
    const head = recordOf(30, { 0: 0x04034b50, 8: deflate, 18: data.length, 26: name.length })
    const entry = { 0: 0x02014b50, 10: deflate, 20: data.length, 28: name.length }
    entries = await joined(entries, recordOf(46, { ...entry, 42: files.length }), name)
    files = await joined(files, head, name, data)
  }
  const count = Object.keys(parts).length
  const end = { 0: 0x06054b50, 10: count, 12: entries.length, 16: files.length }
  return joined(files, entries, recordOf(22, end))
}
