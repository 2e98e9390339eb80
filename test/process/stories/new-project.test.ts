/** From an empty folder to records, using only the command line and the printed lines. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseCurlLines } from '../../support/curl.ts'
import { outcomeOf, runDocket, spawnDocket, tokenOf, waitFor } from '../../support/docket.ts'

let folder: string
let project: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docket-new-'))
  project = join(folder, 'car-repair_shop')
})
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

const linesOf = (shown: string, token: string) =>
  parseCurlLines(shown.slice(shown.indexOf('Create a')).replaceAll(/&& head.*$/gm, ''), {
    TOKEN: token,
  })

/** Starts the project and returns the responses to the lines that it prints. */
const startAndPaste = async (last: RegExp) => {
  const child = spawnDocket(['start', '--project', project, '--port', '0'])
  const ended = outcomeOf(child)
  const shown = await waitFor(child, last)
  const token = await tokenOf(project)
  const answers: [number, string][] = []
  for (const { url, method, headers, body } of linesOf(shown, token)) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    answers.push([response.status, await response.text()])
  }
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  return { shown, answers }
}

test('docket init creates a valid project that starts with its records', async () => {
  const made = await runDocket(['init', project])
  assert.equal(made.code, 0, made.err)
  const checked = await runDocket(['check', '--project', project])
  assert.equal(checked.out, 'The project is valid: 8 entities, 1 role, 0 warnings.\n')
  const { shown, answers } = await startAndPaste(/\/customer\/1 -H/)
  assert.match(shown, /Car repair shop is up at/)
  assert.match(shown, /Loaded 4 example records/)
  assert.deepEqual(
    answers.map(([status]) => status),
    [201, 200, 200],
  )
  assert.match(answers[1]?.[1] ?? '', /^id,Name\r\n3,Café Zoë\r\n/)
})

test('the lines work at the second start too, and a clerk has the permissions of the role', async () => {
  const { answers } = await startAndPaste(/\/customer\/1 -H/)
  assert.deepEqual(
    answers.map(([status]) => status),
    [201, 200, 200],
  )
})

test('the schemas that the files refer to exist, and init updates them', async () => {
  const definition = JSON.parse(await readFile(join(project, 'entities/customer.json'), 'utf8'))
  const file = join(project, 'entities', definition.$schema)
  const schema = await readFile(file, 'utf8')
  assert.equal(JSON.parse(schema).title, 'Docket entity definition')
  await writeFile(file, '{}')
  const again = await runDocket(['init', project])
  assert.equal(again.code, 0, again.err)
  assert.equal(await readFile(file, 'utf8'), schema)
})

test('init overwrites nothing', async () => {
  const taken = join(folder, 'taken')
  await runDocket(['init', taken])
  await Promise.all([
    rm(join(taken, 'docket.json')),
    rm(join(taken, 'entities'), { recursive: true }),
  ])
  await writeFile(join(taken, 'README.md'), 'Mine')
  const { code, err } = await runDocket(['init', taken])
  assert.equal(code, 1)
  assert.match(err, /has .*README\.md.* already, and docket init does not overwrite files/)
  assert.equal(await readFile(join(taken, 'README.md'), 'utf8'), 'Mine')
})

test('a project with one entity and no records prints lines that work', async () => {
  const empty = join(folder, 'empty')
  await runDocket(['init', empty])
  await rm(join(empty, 'seed'), { recursive: true })
  const [full, one] = [project, empty]
  project = one
  const { shown, answers } = await startAndPaste(/export with a filter[\s\S]*Bearer \$TOKEN.*\n/)
  project = full
  assert.doesNotMatch(shown, /read one/)
  assert.deepEqual(
    answers.map(([status]) => status),
    [201, 200],
  )
})

test('a folder without a project is an error with a next step', async () => {
  const { code, out } = await runDocket(['check', '--project', folder])
  assert.equal(code, 3)
  assert.match(out, /is not a project.*docket init DIR/)
})
