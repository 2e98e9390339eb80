/** `docket document --watch` prints after every change and shows every issue, until it is stopped. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { outcomeOf, runDocket, spawnDocket, waitFor } from '../../support/docket.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const files = {
  'entities/note.json': { key: 'note', fields: [{ key: 'name', type: 'string', unique: true }] },
  'seed/1-note.json': [{ name: 'Oak' }],
  'seed/2-printable_document.json': [
    { code: 'note', name: 'Note', entity_key: 'note', template_file: 'note.typ' },
  ],
  'printable-documents/note.typ': 'One',
}

let database: TestDatabase
let directory: string
let environment: Record<string, string>
before(async () => {
  database = await createTestDatabase()
  directory = await writeProject(files)
  environment = { DATABASE_URL: database.connectionString, PROJECT: directory }
  const { code, err } = await runDocket(['seed'], environment)
  assert.equal(code, 0, err)
})
after(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

const children: ChildProcess[] = []
beforeEach(() => write('note.typ', 'One'))
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Writes a template in one step: the watched folder never contains a part of it. */
const write = async (path: string, text: string) => {
  const draft = join(directory, 'draft')
  await writeFile(draft, text)
  await rename(draft, join(directory, 'printable-documents', path))
}

/** Starts watching, and waits for the first print. */
const startWatching = async (out = join(directory, 'note.pdf')) => {
  const args = ['document', 'note', '--id', '1', '--watch', '--out', out]
  const child = spawnDocket(args, environment)
  children.push(child)
  const ended = outcomeOf(child)
  await waitFor(child, / ms\n/)
  return {
    ended,
    child,
    /** The output from a change until it matches. */
    after: async (change: () => Promise<unknown>, pattern: RegExp): Promise<string> => {
      const shown = waitFor(child, pattern)
      await change()
      return shown
    },
    text: async () => (await readPdf(await readFile(out))).pages.join(),
    /** The system may report a change in two steps: a print between them has the text before it. */
    untilText: (text: string) =>
      until(
        `the PDF contains "${text}"`,
        async () => (await readPdf(await readFile(out))).pages.join() === text,
      ),
  }
}
const printed = /note\.pdf: 1 page, \d+ bytes, \d+ ms\n/

test('it prints immediately, and again after each change of a template or of a file that it imports', async () => {
  await write('part.typ', '#let word = "Three"')
  const { after: shownAfter, text, untilText, child, ended } = await startWatching()
  assert.equal(await text(), 'One')
  await shownAfter(() => write('note.typ', 'Two'), printed)
  await untilText('Two')
  await shownAfter(() => write('note.typ', '#import "part.typ": word\n#word'), printed)
  await untilText('Three')
  await shownAfter(() => write('part.typ', '#let word = "Four"'), printed)
  await untilText('Four')
  child.kill('SIGINT')
  const { code, err } = await ended
  assert.equal(code, 0)
  assert.match(err, /^Watching \S+printable-documents; Ctrl-C stops it\.$/m)
})

test('an issue is shown with its line, the last PDF stays, and after a fix it is printed again', async () => {
  const { after: shownAfter, text, untilText } = await startWatching()
  const shown = await shownAfter(() => write('note.typ', 'Two\n#(1 + "a")'), /\^\n/)
  assert.match(
    shown,
    /note\.typ:2:3: error: cannot add integer and string\n {2}2 \| #\(1 \+ "a"\)\n {4}\| {3}\^{7}\n/,
  )
  assert.equal(await text(), 'One')
  await shownAfter(() => write('note.typ', 'Two fixed'), printed)
  await untilText('Two fixed')
})

test('a missing template is reported, and printed once it exists again', async () => {
  const { after: shownAfter, untilText } = await startWatching()
  await shownAfter(
    () => rm(join(directory, 'printable-documents', 'note.typ')),
    /there is no file printable-documents\/note\.typ/,
  )
  await shownAfter(() => write('note.typ', 'Back'), printed)
  await untilText('Back')
})

test('no file but the PDF is left beside it', async () => {
  const { child, ended } = await startWatching()
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('note')),
    ['note.pdf'],
  )
})

test('a PDF among the templates does not cause endless printing', async () => {
  const out = join(directory, 'printable-documents', 'note.pdf')
  const { child, ended, after: shownAfter } = await startWatching(out)
  await shownAfter(() => write('note.typ', 'Two'), printed)
  // This was more than enough time to print an unchanged template again.
  const beside = ['document', 'note', '--id', '1', '--out', join(directory, 'beside.pdf')]
  assert.equal((await runDocket(beside, environment)).code, 0)
  await shownAfter(() => write('note.typ', 'Three'), printed)
  child.kill('SIGTERM')
  const prints = (await ended).out.match(/ ms\n/g)?.length ?? 0
  // One for the start and for each change, or two when the system reports a change in two steps.
  assert.ok(prints >= 3 && prints <= 5, `It printed ${prints} times.`)
  await rm(out)
})

// Last, because it removes the templates.
test('a project without templates has nothing to watch', async () => {
  await rm(join(directory, 'printable-documents'), { recursive: true })
  const args = ['document', 'note', '--id', '1', '--watch']
  const { code, out, err } = await runDocket(args, environment)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /printable-documents cannot be watched: /)
})
