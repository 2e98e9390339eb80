/**
 * Hostile files: each row has made a service of this kind run scripts, hang, fail or leak, or could have. It is refused, or sent again
 * byte for byte under headers by which no browser runs anything, and others are answered meanwhile.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createAs, sharedProject, users } from '../../support/a-project.ts'
import { chunkOf, joined, latin1, pngHead, zipOf } from '../../support/files/some-bytes.ts'
import { openSocket, sendRaw } from '../../support/hostile/raw-http.ts'
import { receive } from '../../support/send.ts'
import { download, pngOf } from '../../support/uploads.ts'

const service = await sharedProject()

const script = '<script>alert(document.domain)</script>'
const page = `<!doctype html><html><body>${script}</body></html>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${script}</svg>`
const pdf = '%PDF-1.7\n1 0 obj <</OpenAction <</S /JavaScript /JS (app.alert(1))>>>> endobj\n'

const zeros = Buffer.alloc(20_000_000)
const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">${Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY ${'bcdefghij'[at]} "${`&${'abcdefghi'[at]};`.repeat(10)}">`,
).join('')}]><lolz>&j;</lolz>`

/** A size in pixels, or none. */
type Pixels = readonly [width: number, height: number] | null

/** How it is sent: with which type, and whether a browser shows it. */
type Shown = readonly [kind: 'inline' | 'attachment', type: string]

const saved: Shown = ['attachment', 'application/octet-stream']
const shown = (type: string): Shown => ['inline', type]
const text = shown('text/plain; charset=utf-8')

type Row = readonly [
  what: string,
  name: string,
  bytes: string | Buffer,
  shown: Shown,
  more?: { readonly kept?: string; readonly pixels?: Pixels },
]

const direction = '\u202e'

const contents: readonly Row[] = [
  ['a GIF that is a script', 'a.gif', `GIF89a/*${'\0'.repeat(8)}*/=1;alert(1)`, shown('image/gif')],
  ['a script that is a GIF', 'a.js', 'GIF89a=1;alert(1)//', saved, { pixels: [0x313d, 0x613b] }],
  ['a PDF that is a page', 'a.pdf', `${pdf}${page}`, shown('application/pdf')],
  ['a page that is a PDF', 'a.html', `${pdf}${page}`, saved],
  ['a page before a PDF', 'a.pdf', `${page}${pdf}`, saved],
  [
    'a PNG that is an archive',
    'a.png',
    joined(pngOf(), zipOf('a.class', 'x')),
    shown('image/png'),
    { pixels: [1, 1] },
  ],
  [
    'an archive that is a PNG',
    'a.jar',
    joined(pngOf(), zipOf('a.class', 'x')),
    saved,
    { pixels: [1, 1] },
  ],
  ['a PNG that is a page', 'a.png', pngOf(page), shown('image/png'), { pixels: [1, 1] }],
  ['a page that is a PNG', 'a.html', pngOf(page), saved, { pixels: [1, 1] }],
  [
    'a JPEG that is a page',
    'a.jpg',
    joined(latin1('\xff\xd8\xff\xfe\x00\x60'), page),
    shown('image/jpeg'),
  ],
  ['a page', 'a.html', page, saved],
  ['a page that is called a picture', 'a.png', page, saved],
  ['a page that is called a text', 'a.txt', page, text],
  ['a page without an ending', 'page', page, text],
  ['a page of UTF-16', 'a.txt', Buffer.from(`\ufeff${page}`, 'utf16le'), saved],
  ['a page of UTF-7', 'a.txt', '+ADw-script+AD4-alert(1)+ADw-/script+AD4-', text],
  ['a page that begins with NUL', 'a.html', `\0${page}`, saved],
  ['a drawing with a script', 'a.svg', svg, saved],
  ['a drawing that is called a picture', 'a.png', svg, saved],
  ['a drawing in an XML', 'a.svg', `<?xml version="1.0"?>${svg}`, saved],
  [
    'an XML with a style that is a script',
    'a.xml',
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#"?>${svg}`,
    saved,
  ],
  [
    'an XHTML',
    'a.xhtml',
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
    saved,
  ],
  ['a billion laughs', 'a.xml', laughs, saved],
  [
    'a stored page of a browser',
    'a.mht',
    `MIME-Version: 1.0\nContent-Type: text/html\n\n${page}`,
    saved,
  ],
  ['an e-mail', 'a.eml', `From: a@b.c\nContent-Type: text/html\n\n${page}`, saved],
  ['a shortcut', 'a.url', '[InternetShortcut]\nURL=file://evil/share', saved],
  ['a program', 'a.exe', joined('MZ', Buffer.alloc(200)), saved],
  ['a program that is called a picture', 'a.png', joined('MZ', Buffer.alloc(200)), saved],
  ['a bomb in an archive', 'a.zip', zipOf('a', zeros), saved],
  ['a bomb in a document', 'a.docx', zipOf('[Content_Types].xml', zeros), saved],
  ['a bomb of gzip', 'a.gz', gzipSync(zeros), saved],
  ['an archive with a path out of its folder', 'a.zip', zipOf('../../etc/passwd', 'x'), saved],
  [
    'an archive that ends in its first entry',
    'a.docx',
    zipOf('[Content_Types].xml', 'x').subarray(0, 34),
    saved,
  ],
  [
    'a PNG of 60,000 × 60,000',
    'a.png',
    joined(pngHead(60_000, 60_000), chunkOf('IDAT', zeros.subarray(0, 9))),
    shown('image/png'),
    { pixels: [60_000, 60_000] },
  ],
  [
    'a PNG of 4,294,967,295 × 1',
    'a.png',
    joined(pngHead(0xffff_ffff, 1), chunkOf('IDAT', Buffer.alloc(9))),
    shown('image/png'),
  ],
  [
    'a PNG of 0 × 0',
    'a.png',
    joined(pngHead(0, 0), chunkOf('IDAT', Buffer.alloc(9))),
    shown('image/png'),
  ],
  [
    'a PNG whose part is longer than itself',
    'a.png',
    joined(pngHead(1, 1), chunkOf('tEXt', Buffer.alloc(9), 0xffff_fff0)),
    saved,
  ],
  ['the first bytes of a PNG', 'a.png', pngOf().subarray(0, 8), saved],
  ['half the head of a PNG', 'a.png', pngOf().subarray(0, 20), shown('image/png')],
  ['the first bytes of a JPEG', 'a.jpg', latin1('\xff\xd8\xff'), shown('image/jpeg')],
  [
    'a JPEG of parts without a length',
    'a.jpg',
    joined(latin1('\xff\xd8'), Buffer.alloc(40_000, latin1('\xff\xe0\0\0'))),
    shown('image/jpeg'),
  ],
  ['the first bytes of a GIF', 'a.gif', 'GIF89a', shown('image/gif')],
  [
    'a WebP that says nothing',
    'a.webp',
    latin1('RIFF\xff\xff\xff\xffWEBPVP8X'),
    shown('image/webp'),
  ],
  [
    'an AVIF whose boxes are longer than itself',
    'a.avif',
    latin1('\xff\xff\xff\xffftypavif\0\0\0\0avif'),
    shown('image/avif'),
  ],
  [
    'an MP4 whose boxes have no length',
    'a.mp4',
    latin1('\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\0moov'),
    shown('video/mp4'),
  ],
  [
    'an EBML that contains itself',
    'a.webm',
    joined(latin1('\x1a\x45\xdf\xa3\xff'), Buffer.alloc(4_000, latin1('\x42\x82\xff'))),
    saved,
  ],
  [
    'a TIFF that points at itself',
    'a.tif',
    joined(latin1('II*\0\x08\0\0\0\xff\xff'), Buffer.alloc(3_000)),
    saved,
  ],
  ['an ID3 that is longer than itself', 'a.mp3', latin1('ID3\x04\0\0\x7f\x7f\x7f\x7f'), saved],
]

const names: readonly Row[] = [
  ['a path', '../../etc/passwd', 'x', text, { kept: 'passwd' }],
  ['a path of Windows', 'C:\\Windows\\..\\a.txt', 'x', text, { kept: 'a.txt' }],
  ['a folder alone', 'a/b/', 'x', text, { kept: 'file' }],
  ['dots alone', '...', 'x', text, { kept: 'file' }],
  ['a name that turns', `gnp.${direction}txt.exe`, 'x', saved, { kept: 'gnp.txt.exe' }],
  [
    'a name with lines',
    'a\r\nSet-Cookie: a=b\r\n\r\n<script>.txt',
    'x',
    text,
    { kept: 'aSet-Cookie: a=b<script>.txt' },
  ],
  ['a name with NUL', 'a.exe\0.txt', 'x', text, { kept: 'a.exe.txt' }],
  ['a name of 300 bytes', `${'a'.repeat(296)}.txt`, 'x', text, { kept: `${'a'.repeat(251)}.txt` }],
  [
    'a name of 400 bytes in other letters',
    `${'😀'.repeat(100)}.txt`,
    'x',
    text,
    { kept: `${'😀'.repeat(62)}.txt` },
  ],
  ['a reserved name', 'NUL.txt', 'x', text],
  ['a name of two endings', 'a.png.html', pngOf(), saved, { pixels: [1, 1] }],
  [
    'a name of two endings, turned',
    'a.html.png',
    pngOf(page),
    shown('image/png'),
    { pixels: [1, 1] },
  ],
  ['an ending before a dot', 'a.html.', pngOf(page), saved, { kept: 'a.html', pixels: [1, 1] }],
  ['an ending before dots and spaces', 'a.exe . .', 'x', saved, { kept: 'a.exe' }],
  ['a stream of NTFS', 'a.txt:evil.exe', 'x', saved],
  ['a name that ends its header', 'a";filename=evil.html;".txt', 'x', text],
  ['a name that is a formula', '=HYPERLINK(A1).txt', 'x', text],
  ['a name that is a page', `${page}.txt`, 'x', text, { kept: 'html>.txt' }],
]

type Outcome = {
  readonly upload: Readonly<Record<string, unknown>>
  readonly answers: readonly Awaited<ReturnType<typeof download>>[]
}

const dispositionOf = (name: string) =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`

const send = async (headers: Readonly<Record<string, string>>, body: string | Buffer) => {
  const answer = await receive('POST', `${service.url}/api/uploads`, {
    headers: { Authorization: `Bearer ${await service.tokenOf()}`, ...headers },
    body,
  })
  return { status: answer.status, body: JSON.parse(answer.bytes.toString()) }
}

/** What a file of a record is asked by. */
const addressesOf = (id: number, fileId: number) => [`/report/${id}/file/${fileId}`]

const sendRow = async ([what, name, bytes]: Row): Promise<Outcome> => {
  const sent = await send({ 'Content-Disposition': dispositionOf(name) }, bytes)
  assert.equal(sent.status, 201, `${what}: ${JSON.stringify(sent.body)}`)
  const { upload } = sent.body
  const { id, estimate } = await createAs(service, 'report', { name: what, estimate: upload })
  const addresses = addressesOf(id, estimate.id)
  const answers = await Promise.all(addresses.map((address) => download(service, address)))
  return { upload: sent.body, answers }
}

const outcomes = new Map<Row, Outcome>()

/** At once, while another user asks. */
before(async () => {
  let isOver = false
  const asking = (async () => {
    for (let count = 0; !isOver; count++) {
      const { status, text: answer } = await service.ask('GET', '/order', { as: users.buyer })
      assert.equal(status, 200, answer)
      assert.ok(count < 100_000)
    }
  })()
  const rows = [...contents, ...names]
  try {
    for (let at = 0; at < rows.length; at += 8)
      await Promise.all(
        rows.slice(at, at + 8).map(async (row) => outcomes.set(row, await sendRow(row))),
      )
  } finally {
    isOver = true
    await asking
  }
})

for (const row of [...contents, ...names]) {
  const [what, name, bytes, [kind, type], { kept = name, pixels = null } = {}] = row
  test(`${what}: ${kind}, ${type}`, () => {
    const { upload, answers } = outcomes.get(row) ?? assert.fail('It was not sent.')
    const { filename, width = null, height = null } = upload
    assert.deepEqual([filename, width, height], [kept, pixels?.[0] ?? null, pixels?.[1] ?? null])
    for (const answer of answers) {
      const header = (one: string) => answer.headers.get(one) ?? ''
      assert.equal(answer.status, 200)
      assert.deepEqual(
        [header('content-type'), header('x-content-type-options')],
        [type, 'nosniff'],
      )
      // One line, with one name in quotes and one that is encoded.
      assert.match(
        header('content-disposition'),
        new RegExp(`^${kind}; filename="[^"\\\\\\r\\n]+"(; filename\\*=UTF-8''[\\w%.~!-]+)?$`),
      )
      assert.equal(header('set-cookie'), '')
      const policy = header('content-security-policy')
      if (type === 'application/pdf') assert.equal(policy, "frame-ancestors 'self'")
      else assert.match(policy, /^default-src 'none'; .*; sandbox; frame-ancestors 'self'$/)
      assert.ok(answer.bytes.equals(Buffer.from(bytes as string)), 'These are other bytes.')
    }
  })
}

const named = 'Content-Disposition: attachment; filename="a.txt"'
const chunked = `${named}\r\nTransfer-Encoding: chunked`

/** Requests that are not what they say: the head without its first lines, what follows it, and the status. */
const broken: readonly (readonly [what: string, head: string, body: string, status: number])[] = [
  ['no name', 'Content-Length: 1', 'x', 400],
  ['an empty name', 'Content-Disposition: attachment; filename=""\r\nContent-Length: 1', 'x', 400],
  [
    'a name that is no UTF-8',
    "Content-Disposition: attachment; filename*=UTF-8''%C0%AE%FF\r\nContent-Length: 1",
    'x',
    400,
  ],
  ['no file', `${named}\r\nContent-Length: 0`, '', 400],
  ['no chunk', chunked, '0\r\n\r\n', 400],
  [
    'a form of many parts that is packed',
    `${named}\r\nContent-Encoding: gzip\r\nContent-Length: 1`,
    'x',
    415,
  ],
  ['a length that is a word', `${named}\r\nContent-Length: x`, 'x', 400],
  ['a length below nothing', `${named}\r\nContent-Length: -1`, 'x', 400],
  ['two lengths', `${named}\r\nContent-Length: 1\r\nContent-Length: 2`, 'xx', 400],
  ['a length and chunks', `${chunked}\r\nContent-Length: 1`, '1\r\nx\r\n0\r\n\r\n', 400],
  ['a length beyond every number', `${named}\r\nContent-Length: 99999999999999999999`, 'x', 400],
  ['a length beyond the limit', `${named}\r\nContent-Length: 999999999999`, 'x', 413],
  ['a chunk that is a word', chunked, 'zz\r\nx\r\n', 400],
  ['a chunk beyond every number', chunked, 'fffffffffffffffff\r\nx', 400],
  ['a chunk with a long extension', chunked, `1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`, 400],
  ['a request behind the file', `${named}\r\nContent-Length: 1`, 'xGET / HTTP/9', 201],
]
for (const [what, head, body, status] of broken)
  test(`a request with ${what} is answered with ${status}`, async () => {
    const lines = `POST /api/uploads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${await service.tokenOf()}`
    const answer = await sendRaw(service.url, {
      send: `${lines}\r\n${head}\r\n\r\n${body}`,
      until: 'answered',
    })
    assert.equal(answer.status, status, answer.text)
  })

test('while files come byte by byte, or not at all, others are answered, and one that comes in the end is kept', async () => {
  const token = await service.tokenOf()
  const slow = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = await openSocket(service.url)
      socket.write(
        `POST /api/uploads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${named}\r\nContent-Length: 12\r\n\r\n`,
      )
      return socket
    }),
  )
  const [first, ...others] = slow
  let answer = ''
  first?.setEncoding('utf8').on('data', (more) => {
    answer += more
  })
  for (const byte of 'byte by byte') {
    first?.write(byte)
    assert.equal((await service.ask('GET', '/order', { as: users.buyer })).status, 200)
  }
  const ended = new Promise((resolve) => first?.once('data', resolve))
  await ended
  assert.match(answer, /^HTTP\/1\.1 201 [\s\S]*"bytes":12/)
  for (const socket of others) socket.destroy()
  first?.destroy()
})
