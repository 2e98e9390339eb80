/** From an empty folder to records, using only the command line and the printed lines. */
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { sendLines } from '../../support/curl.ts'
import { ownName } from '../../support/docket.ts'
import { endByLaterSignal, endWell, signIn, startUp } from '../../support/processes/a-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: string
let project: string
before(async () => {
  folder = temporaryFolder()
  project = join(folder, 'car-repair_shop')
})

/** The command while a service runs, whose database it leaves as it is. */
const call = async (...args: string[]) => {
  const { code, out, err } = await callDocket([...args, '--project', project])
  assert.equal(code, 0, err)
  return out.trim()
}

/** Starts the project, and sends the lines that it prints. */
const startAndPaste = async () => {
  const service = await startUp({ PROJECT: project }, ['--project', project], /\/customer\/1 -H/)
  const lines = service.shown.slice(service.shown.indexOf('Create a'))
  const answers = await sendLines(lines, { TOKEN: await call('token') })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200],
  )
  assert.match(answers[1]?.text ?? '', /^id,Name\r\n3,Café Zoë\r\n/)
  return service
}

test('docket init creates a valid project that starts with its records; its lines can be pasted', async () => {
  const made = await callDocket(['init', project])
  assert.equal(made.code, 0, made.err)
  assert.equal(await call('check'), 'The project is valid: 10 entities, 1 role, 0 warnings.')
  const service = await startAndPaste()
  const { shown, base } = service
  assert.match(shown, /Car repair shop is up at http:\/\/127\.0\.0\.1:\d+/)
  assert.match(shown, /Loaded 4 records from 2 seed files/)
  assert.doesNotMatch(shown, /error handlers/, 'no library prints to the output')
  // Nothing in a permanent log grants access.
  assert.match(shown, new RegExp(`export TOKEN=\\$\\(${ownName} token --project ${project}\\)`))
  assert.doesNotMatch(shown, /eyJ[\w-]+\.[\w-]+\.|#code=/)
  assert.match(
    shown,
    new RegExp(`Console +http:\\S+/console/ \\(a link to sign in: ${ownName} login `),
  )

  const as = ['--user', 'clara@example.com']
  const headers = { Authorization: `Bearer ${await call('token', ...as)}` }
  const me = (await (await fetch(`${base}/api/me`, { headers })).json()) as {
    id: number
    role: string
  }
  assert.equal(me.role, 'clerk')
  const [address, code = ''] = (await call('login', ...as)).split('#code=')
  assert.equal(address, `${base}/console/-/login`)
  const session = await signIn(base, code)
  assert.equal(session.may_switch, true)
  assert.equal(session.user_id, me.id)

  await endWell(service, 'SIGINT')
  const PORT = new URL(base).port
  const { err } = await callDocket(['login', ...as, '--project', project], { PORT })
  assert.match(
    err,
    new RegExp(`^No service answers at ${base}\\. Start it with "docket start"`, 'm'),
  )
})

test('the second start loads no records, and its lines work too; a later signal does not wait for a request', async () => {
  const service = await startAndPaste()
  assert.doesNotMatch(service.shown, /Loaded/)
  await endByLaterSignal(service)
})

test('the schemas that the files refer to exist, and init updates them', async () => {
  const definition = JSON.parse(await readFile(join(project, 'entities/customer.json'), 'utf8'))
  const file = join(project, 'entities', definition.$schema)
  const schema = await readFile(file, 'utf8')
  assert.equal(JSON.parse(schema).title, 'Docket entity definition')
  await writeFile(file, '{}')
  const again = await callDocket(['init', project])
  assert.equal(again.code, 0, again.err)
  assert.equal(await readFile(file, 'utf8'), schema)
})

test('init overwrites nothing', async () => {
  const taken = join(folder, 'taken')
  await callDocket(['init', taken])
  for (const name of ['docket.json', 'entities']) await rm(join(taken, name), { recursive: true })
  await writeFile(join(taken, 'README.md'), 'Mine')
  const { code, err } = await callDocket(['init', taken])
  assert.equal(code, 1)
  assert.match(err, /has .*README\.md.* already, and docket init does not overwrite files/)
  assert.equal(await readFile(join(taken, 'README.md'), 'utf8'), 'Mine')
})

test('a folder without a project is an error with a next step', async () => {
  const { code, out } = await callDocket(['check', '--project', folder])
  assert.equal(code, 3)
  assert.match(out, /is not a project.*docket init DIR/)
})
