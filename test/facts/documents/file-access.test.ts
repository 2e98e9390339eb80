/** A template reads only its data and the files of its folder, whatever path it uses. */
import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openTemplateFolder } from '../../../src/documents/template-folder.ts'
import { opened } from '../../support/afterwards.ts'
import { createPrinter } from '../../support/documents/a-printer.ts'

const secret = 'HIDDEN-FROM-TEMPLATES'

let outside: string
const printer = opened(() => createPrinter({ 'inside.txt': 'inside', 'parts/inner.txt': 'inner' }))
before(async () => {
  const { directory } = printer
  outside = join(directory, 'secret.txt')
  await writeFile(outside, secret)
  await mkdir(join(directory, 'private'))
  await writeFile(join(directory, 'private', 'secret.txt'), secret)
  await writeFile(join(directory, 'private', 'logo.svg'), `<svg>${secret}</svg>`)
  const folder = join(directory, 'printable-documents')
  await symlink(outside, join(folder, 'absolute-link.txt'))
  await symlink('../secret.txt', join(folder, 'link.txt'))
  await symlink('link.txt', join(folder, 'link-to-link.txt'))
  await symlink('../private', join(folder, 'folder-link'))
  await symlink('nowhere', join(folder, 'broken'))
  await symlink('.', join(folder, 'parts', 'itself'))
  await symlink('../inside.txt', join(folder, 'parts', 'link-inside.txt'))
})

const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inner}</svg>`
const reading = (path: string) => ({ source: `#read(${JSON.stringify(path)})` })

test('files of the folder are read from its top, from next to the template, and by a link inside it', async () => {
  await printer.write(
    'parts/from.typ',
    '#read("inner.txt") #read("/inside.txt") #read("../inside.txt")',
  )
  assert.deepEqual((await printer.print('parts/from.typ')).pages, ['inner inside inside'])
  for (const path of [
    'inside.txt',
    '/inside.txt',
    './parts/../inside.txt',
    'parts/link-inside.txt',
  ])
    assert.deepEqual((await printer.print(reading(path))).pages, ['inside'], path)
})

test('no path leads outside of the folder, neither by itself nor by a link', async () => {
  for (const path of [
    ...['../secret.txt', '../../../../../../etc/passwd', '/../secret.txt', '/..'],
    ...['parts/../../secret.txt', './../printable-documents/inside.txt'],
  ])
    assert.deepEqual(await printer.issuesOf(reading(path)), [
      'template_source:1:7 files outside of printable-documents/ cannot be read',
    ])
  for (const path of [
    ...['/etc/passwd', '//etc/passwd', '/proc/self/environ', 'file:///etc/passwd', '~/.ssh/id_rsa'],
    ...['C:\\Windows\\win.ini', '..\\secret.txt', 'link.txt', 'absolute-link.txt'],
    ...['link-to-link.txt', 'folder-link/secret.txt', 'broken', 'parts/itself/inner.txt'],
    ...['parts', '.', ''],
  ]) {
    const [issue = '', ...others] = await printer.issuesOf(reading(path))
    assert.deepEqual(others, [])
    assert.match(issue, /^template_source:1:7 there is no file .* in printable-documents\/$/)
    assert.doesNotMatch(issue, /docket-[0-9a-f]/)
  }
})

test('no other function reads files outside of the folder', async () => {
  const path = JSON.stringify(outside)
  for (const call of ['include', 'import'])
    assert.match(
      (await printer.issuesOf({ source: `#${call} ${path}` })).join(),
      /there is no file/,
    )
  for (const call of [
    ...['image', 'json', 'csv', 'toml', 'yaml', 'xml', 'cbor', 'plugin', 'bibliography'],
  ])
    for (const place of [path, '"folder-link/logo.svg"'])
      assert.match(
        (await printer.issuesOf({ source: `#${call}(${place})` })).join(),
        /^template_source:1:\d+ (there is no file|files outside of)/,
        call,
      )
})

for (const [href, why] of [
  ['/etc/hostname', 'absolute paths are not allowed'],
  ['file:///etc/hostname', 'absolute paths are not allowed'],
  ['http://127.0.0.1:1/a.svg', 'URLs are not allowed'],
  ['../private/logo.svg', 'access denied'],
  ['folder-link/logo.svg', 'file not found'],
] as const)
  test(`an image in the folder does not load ${href}`, async () => {
    await printer.write('out.svg', svg(`<image href="${href}" width="9" height="9"/>`))
    const [issue = '', ...others] = await printer.issuesOf({ source: '#image("out.svg")' })
    assert.deepEqual(others, [])
    const reported = `out.svg:1:1 failed to load linked image ${href} in SVG (${why}`
    assert.equal(issue.slice(0, reported.length), reported)
  })

test('no package can be imported', async () => {
  for (const name of ['@preview/tablex:0.0.9', '@local/office:1.0.0'])
    assert.deepEqual(await printer.issuesOf({ source: `\n#import "${name}": *` }), [
      'template_source:2:9 packages cannot be imported here: put the files into printable-documents/ and import them from there',
    ])
})

test('no network request is sent', async (t) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.end(secret)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.svg`
  await printer.write('net.svg', svg(`<image href="${url}" width="9" height="9"/>`))
  for (const call of ['read', 'image', 'json', 'plugin'])
    assert.match(
      (await printer.issuesOf({ source: `#${call}("${url}")` })).join(),
      /there is no file/,
    )
  await printer.issuesOf({ source: '#image("net.svg")' })
  await printer.print({ source: `#link("${url}")` })
  assert.equal(asked, 0)
})

test('the environment of the service is not accessible', async () => {
  const seen = await printer.print({ source: '#repr(sys.inputs) #repr(dictionary(sys).keys())' })
  assert.match(seen.pages.join(), /^\(:\)/)
})

test('the data of a document are removed with it, also next to a template in a folder', async () => {
  const json = JSON.stringify({ secret })
  await printer.write('parts/own.typ', '#json("data.json").secret #json("/data.json").secret')
  assert.deepEqual((await printer.print('parts/own.typ', { json })).pages, [`${secret} ${secret}`])
  assert.match(
    (await printer.issuesOf(reading('parts/data.json'))).join(),
    /there is no file parts\/data\.json/,
  )
  assert.deepEqual((await printer.print({ source: '#read("data.json")' })).pages, ['{}'])
  await printer.write('parts/data.json', '{ "secret": "example" }')
  assert.deepEqual((await printer.print('parts/own.typ', { json })).pages, [`${secret} ${secret}`])
  assert.deepEqual((await printer.print(reading('parts/data.json'))).pages, [
    '{ "secret": "example" }',
  ])
})

test('the reason why a file is not used is known; hidden files are ignored', async () => {
  await printer.write('.hidden.typ', '')
  await printer.write('.git/config', '')
  await printer.write('order.typ~', '')
  const { files, refused } = await openTemplateFolder(printer.directory).read()
  for (const path of files.keys()) assert.doesNotMatch(path, /^\.|\/\.|~$/)
  const out = 'is a link to a file outside of printable-documents/'
  assert.deepEqual(Object.fromEntries(refused), {
    'absolute-link.txt': out,
    'folder-link': out,
    'link-to-link.txt': out,
    'link.txt': out,
    'parts/itself': 'is a link to a folder',
    broken: 'cannot be read: ENOENT',
  })
})

test('a project without the folder has no templates, and has some once the folder exists', async () => {
  const empty = await createPrinter()
  const folder = openTemplateFolder(empty.directory)
  assert.equal((await folder.read()).files.size, 0)
  await empty.write('a.typ', 'a')
  assert.deepEqual([...(await folder.read()).files.keys()], ['a.typ'])
  await rm(folder.path, { recursive: true })
  assert.equal((await folder.read()).files.size, 0)
  await empty.remove()
})
