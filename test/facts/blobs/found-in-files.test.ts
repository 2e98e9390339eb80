/** What is found in a file that is sent: its name, its media type, and the size of an image. */
import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { imageSizeOf, mediaTypeOf } from '../../../src/blobs/media-type.ts'
import { contentDisposition } from '../../../src/uploads/section.ts'
import { afterwards } from '../../support/afterwards.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const read = (header: string) => contentDisposition.read(header, { entity: undefined, params: {} })

// As Node.js reads the bytes of a header.
const sent = (header: string) => Buffer.from(header).toString('latin1')

const names: readonly (readonly [header: string, name: string])[] = [
  ['attachment; filename="offer.pdf"', 'offer.pdf'],
  ['attachment;filename=offer.pdf', 'offer.pdf'],
  ['attachment; filename=my offer.pdf ; x=1', 'my offer.pdf'],
  [`attachment; filename="a \\"b\\" c.txt"`, 'a "b" c.txt'],
  [`attachment; filename="semi;colon.txt"`, 'semi;colon.txt'],
  [`attachment; filename="?.txt"; filename*=UTF-8''%C5%A0ibenik.txt`, 'Šibenik.txt'],
  [`attachment; FILENAME*=utf-8'hr'%C5%A0ibenik.txt; filename=x`, 'Šibenik.txt'],
  [`attachment; filename="kept.txt"; filename*=UTF-8''%C5%`, 'kept.txt'],
  [`attachment; filename="kept.txt"; filename*=latin1''%E9`, 'kept.txt'],
  [sent('attachment; filename="Šibenik.txt"'), 'Šibenik.txt'],
  ['attachment; filename="caf\xe9.txt"', 'café.txt'],
  // Two characters become the one of NFC.
  [`attachment; filename*=UTF-8''e%CC%81.txt`, 'é.txt'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\fakepath\\\\scan.png"', 'scan.png'],
  [`attachment; filename*=UTF-8''a%2Fb%5Cc.txt`, 'c.txt'],
  [`attachment; filename*=UTF-8''exe%E2%80%AEfdp.exe`, 'exefdp.exe'],
  [`attachment; filename*=UTF-8''a%00b%0D%0Ac%7F.txt`, 'abc.txt'],
  ['attachment; filename=".."', 'file'],
  ['attachment; filename="  "', 'file'],
  [
    `attachment; filename*=UTF-8''${encodeURIComponent('é'.repeat(200))}.pdf`,
    `${'é'.repeat(125)}.pdf`,
  ],
  [`attachment; filename="${'x'.repeat(300)}"`, 'x'.repeat(255)],
]

test('a name is read from any form of the header, without folders, control and direction characters, in 255 bytes', () => {
  for (const [header, name] of names) assert.equal(read(header), name, header)
  for (const header of ['', 'attachment', 'attachment; filename=""', 'filename', 'x; name="a.txt"'])
    assert.match(JSON.stringify(read(header)), /must name the file/, header)
})

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000002800000012c0802000000', 'hex')
const gif = Buffer.from('47494638396180020a01800000', 'hex')
const jpeg = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.from('ffe11000', 'hex'),
  Buffer.alloc(0x0ffe),
  Buffer.from('ffc2001108012c028003011100021101031101', 'hex'),
])
const webp = (kind: string, rest: string) =>
  Buffer.concat([
    Buffer.from('RIFF\x40\0\0\0WEBP', 'latin1'),
    Buffer.from(kind),
    Buffer.from(rest, 'hex'),
    Buffer.alloc(16),
  ])
const zip = Buffer.concat([
  Buffer.from('504b03040a0000000000', 'hex'),
  Buffer.alloc(16),
  Buffer.from('0500000061616161', 'hex'),
])

const files: readonly (readonly [
  name: string,
  content: string | Buffer,
  type: string,
  size?: readonly [number, number],
])[] = [
  ['photo.png', png, 'image/png', [640, 300]],
  ['photo.txt', png, 'image/png', [640, 300]],
  ['photo.png', 'no picture', 'text/plain'],
  ['photo.gif', gif, 'image/gif', [640, 266]],
  ['photo.jpg', jpeg, 'image/jpeg', [640, 300]],
  ['cut.jpg', jpeg.subarray(0, 30), 'image/jpeg'],
  ['photo.webp', webp('VP8X', '0a000000100000007f02002b0100'), 'image/webp', [640, 300]],
  ['photo.webp', webp('VP8L', '100000002f7fc24a00'), 'image/webp', [640, 300]],
  ['empty.png', png.subarray(0, 18), 'image/png'],
  [
    'large.png',
    Buffer.concat([png.subarray(0, 16), Buffer.from('ffffffff00000001', 'hex')]),
    'image/png',
  ],
  ['notes.csv', 'a,b\n1,Šibenik\n', 'text/csv'],
  ['page.html', '<script>alert(1)</script>', 'text/html'],
  ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['drawing.svg', '<?xml version="1.0"?><svg/>', 'image/svg+xml'],
  ['offer.pdf', '%PDF-1.7\n%\xe2\xe3', 'application/pdf'],
  ['letter.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['letter.constructor', zip, 'application/zip'],
  [
    'program.pdf',
    Buffer.from('4d5a90000300000004000000ffff0000', 'hex'),
    'application/x-msdownload',
  ],
  ['nothing.txt', Buffer.from([0, 1, 2, 3]), 'application/octet-stream'],
  ['latin.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'application/octet-stream'],
  ['long.txt', `${'x'.repeat(4099)}é`, 'text/plain'],
]

test('what a file is says its content; its name only says which kind of text or archive', async () => {
  const path = join(temporaryFolder(), 'received')
  for (const [name, content, type, size] of files) {
    await writeFile(path, content)
    const file = await open(path, 'r')
    afterwards(() => file.close())
    assert.equal(await mediaTypeOf(file, name), type, name)
    const found = await imageSizeOf(file, type)
    assert.deepEqual(found && [found.width, found.height], size, name)
  }
})
