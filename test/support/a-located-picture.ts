/** Pictures that say where they were taken. */
import { crc32 } from 'node:zlib'
import { pngOf } from './uploads.ts'

/** EXIF of a camera with its name, how it was held, a second list, and a location of 45° 48′ 30″ north. */
export const exifOf = (isLittle: boolean, locationEntries = 2): Buffer => {
  const exif = Buffer.alloc(200)
  const write16 = (value: number, at: number) =>
    isLittle ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at)
  const write32 = (value: number, at: number) =>
    isLittle ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at)
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    write16(tag, at)
    write16(type, at + 2)
    write32(count, at + 4)
    write32(value, at + 8)
  }
  exif.write(isLittle ? 'II' : 'MM', 'latin1')
  write16(42, 2)
  write32(8, 4)
  write16(3, 8)
  entry(10, 0x010f, 2, 6, 150)
  entry(22, 0x8825, 4, 1, 70)
  entry(34, 0xa005, 4, 1, 7)
  write32(60, 46)
  // The second list is empty.
  write16(locationEntries, 70)
  entry(72, 1, 2, 2, 0)
  exif.write('N\0', 80, 'latin1')
  entry(84, 2, 5, 3, 110)
  for (const [index, value] of [45, 1, 48, 1, 30, 1].entries()) write32(value, 110 + index * 4)
  exif.write('Camera', 150, 'latin1')
  return exif
}

const segment = (marker: number, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}
export const exifHead = Buffer.from('Exif\0\0', 'latin1')
export const xmp = Buffer.from(
  `<x:xmpmeta><rdf:Description exif:GPSLatitude="45,48.5N" tiff:Make="Camera"><exif:GPSLongitude>15,58E</exif:GPSLongitude></rdf:Description></x:xmpmeta>`,
)
export const pixels = Buffer.from('ffda0008010100003f00d2cf20ffd9', 'hex')
export const jpegOf = (exif: Buffer) =>
  Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xe1, exifHead, exif),
    segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1'), xmp),
    pixels,
    // A preview that follows the picture has its own.
    Buffer.from('ffd8', 'hex'),
    segment(0xe1, exifHead, exif),
    pixels,
  ])

const chunk = (kind: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}
export const pngWith = (exif: Buffer) => {
  const png = pngOf()
  const text = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1'), xmp])
  // Behind the head.
  return Buffer.concat([
    png.subarray(0, 33),
    chunk('eXIf', exif),
    chunk('iTXt', text),
    png.subarray(33),
  ])
}
