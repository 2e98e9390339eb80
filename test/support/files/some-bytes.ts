/** Pictures and archives of few bytes, which say what a test wants. */
import { crc32, deflateRawSync } from 'node:zlib'
import { pngOf } from '../uploads.ts'

/** One byte for each character. */
export const latin1 = (text: string) => Buffer.from(text, 'latin1')
/** Texts and bytes, one after the other. */
export const joined = (...parts: readonly (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** A part of a PNG, which may say another length than it has. */
export const chunkOf = (kind: string, data: Buffer, length = data.length) => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  const typed = joined(kind, data)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typed))
  return joined(size, typed, sum)
}

/** A PNG whose head says this size, and which has almost no data. */
export const pngHead = (width: number, height: number) => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6], 8)
  return joined(pngOf().subarray(0, 8), chunkOf('IHDR', head))
}

/** An archive of one file, whose packed bytes have this content. */
export const zipOf = (name: string, content: string | Buffer) => {
  const packed = deflateRawSync(content, { level: 9 })
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04', 'latin1')
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(crc32(content), 14)
  head.writeUInt32LE(packed.length, 18)
  head.writeUInt32LE(content.length, 22)
  head.writeUInt16LE(name.length, 26)
  const entry = joined(latin1('PK\x01\x02\x14\0'), head.subarray(4, 30), Buffer.alloc(14))
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length + name.length, 12)
  end.writeUInt32LE(head.length + name.length + packed.length, 16)
  return joined(head, name, packed, entry, name, end)
}
