/** The environment of a function in its thread: what it receives, what stays for the next call, and what does not. */
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { after, test } from 'node:test'
import { functionVariables } from '../../../src/config/function-variables.ts'
import {
  answering,
  createFunctions,
  running,
  subject,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

const opened: TestFunctions[] = []
const open: typeof createFunctions = async (...args) => {
  const functions = await createFunctions(...args)
  opened.push(functions)
  return functions
}
after(() => Promise.all(opened.map((functions) => functions.remove())))

const one = "{ filename: 'a', mimetype: 'text/plain', data: Buffer.from(word) }"
const programs = {
  'esm.mjs': `export const timeout = 5000; const word = 'mjs'; export const exec = () => ({ documents: [${one}] })`,
  'esm-in-js.js': `export const timeout = 5000; const word = 'js'; export const exec = () => ({ documents: [${one}] })`,
  'cjs.cjs': `const { join } = require('node:path'); const word = join('c', 'js'); module.exports = { timeout: 5000, exec: () => ({ documents: [${one}] }) }`,
  'cjs-in-js.js': `exports.timeout = 5000; const word = 'exports'; exports.exec = () => ({ documents: [${one}] })`,
  'cjs-made.cjs': `const word = 'made'; const make = () => ({ timeout: 5000, exec: () => ({ documents: [${one}] }) }); module.exports = make()`,
  'types.ts': `import type { Stats } from 'node:fs'\nimport { word } from './parts/word.ts'\nexport const timeout: number = 5000\nexport const exec = (_: unknown, stats?: Stats) => ({ documents: [${one}] })`,
}

test('ES modules, CommonJS and TypeScript run, with their imports', async () => {
  const files = Object.entries(programs).map(([name, text]) => [`document-functions/${name}`, text])
  const functions = await open({
    ...Object.fromEntries(files),
    'document-functions/parts/word.ts': "export const word: string = 'ts'",
  })
  const texts = await Promise.all(
    Object.keys(programs).map((file) => functions.textOf(file.replace(/\.\w+$/, ''))),
  )
  assert.deepEqual(texts, ['mjs', 'js', 'c/js', 'exports', 'made', 'ts'])
})

test('a function sees neither the environment nor the arguments of the service', async () => {
  process.env.DATABASE_URL = 'postgres://docket:secret@host/x'
  const functions = await open(
    {
      'document-functions/env.mjs': answering(
        'return JSON.stringify([Object.keys(process.env).sort(), process.env.NODE_ENV, process.argv.slice(2), process.execArgv])',
      ),
    },
    { nodeEnv: 'staging' },
  )
  delete process.env.DATABASE_URL
  assert.deepEqual(JSON.parse(await functions.textOf('env')), [
    ['NODE_ENV', 'TZ'],
    'staging',
    [],
    ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
  ])
})

test('a function gets the variables intended for functions, and no others', async () => {
  const environment = { DOCKET_FN_TOKEN: 's3cret', DATABASE_URL: 'x', DOCKET_TOKEN: 'y' }
  const variables = functionVariables(environment)
  const text = answering('return JSON.stringify(process.env.DOCKET_FN_TOKEN)')
  const functions = await open({ 'document-functions/env.mjs': text }, { variables })
  assert.deepEqual(variables, { DOCKET_FN_TOKEN: 's3cret' })
  assert.equal(await functions.textOf('env'), '"s3cret"')
})

test('an error contains its cause, such as why a fetch failed', async () => {
  const functions = await open({
    'document-functions/fetch.mjs': answering("await fetch('http://127.0.0.1:1/')"),
  })
  await assert.rejects(
    functions.textOf('fetch'),
    /threw "fetch failed: .*(ECONNREFUSED|bad port).*"/,
  )
})

test('an ArrayBuffer is accepted as bytes', async () => {
  const functions = await open({
    'document-functions/bytes.mjs': `export const timeout = 5000
export const exec = () => ({ documents: [{ filename: 'a', mimetype: 'text/plain', data: new TextEncoder().encode('bytes').buffer }] })`,
  })
  assert.equal(await functions.textOf('bytes'), 'bytes')
})

test('changes that a function makes to its environment do not affect the service', async () => {
  const functions = await open({
    'document-functions/set.mjs': answering("process.env.LEFT = 'behind'; return 1"),
  })
  await functions.textOf('set')
  assert.equal(process.env.LEFT, undefined)
})

test('a function gets its subject, and its changes to it stay local', async () => {
  const functions = await open({
    'document-functions/subject.mjs': answering(
      'const { services, log, ...rest } = context; const text = JSON.stringify(rest); context.record.id = 8; return text',
    ),
  })
  const action = {
    key: 'approve',
    name: 'Approve',
    kind: 'approveWorkflow',
    form: 'approve',
    from: 'review',
    from_name: 'In review',
    to: 'approved',
    to_name: 'Approved',
  } as const
  const text = await functions.textOf('subject', { ...subject, action })
  assert.deepEqual(JSON.parse(text), { ...subject, action })
  assert.equal(subject.record.id, 7)
})

const counting = `let calls = 0
export const timeout = 5000
export const exec = () => {
  calls += 1
  return { documents: [{ filename: 'a', mimetype: 'a/b', data: Buffer.from(String(calls)) }] }
}
`

test('a module is loaded once, and later calls use the loaded one', async () => {
  const functions = await open({ 'document-functions/count.mjs': counting }, { maxProcesses: 4 })
  const texts = []
  for (let call = 0; call < 5; call++) texts.push(await functions.textOf('count'))
  assert.deepEqual(texts, ['1', '2', '3', '4', '5'])
})

test('after a thrown error and an invalid result the thread is used again', async () => {
  const text = counting.replace(
    'return',
    'if (calls === 2) throw 1; if (calls === 3) return 5; return',
  )
  const functions = await open({ 'document-functions/count.mjs': text }, { maxProcesses: 1 })
  assert.equal(await functions.textOf('count'), '1')
  assert.equal((await functions.errorOf('count')).reason, 'threw')
  assert.equal((await functions.errorOf('count')).reason, 'wrong-answer')
  assert.equal(await functions.textOf('count'), '4')
})

test('a thread is not used again after a timeout, or when a call leaves a timer or a socket open', async () => {
  const leave = (code: string) => counting.replace('calls += 1', `calls += 1; ${code}`)
  const functions = await open(
    {
      'document-functions/clean.mjs': counting,
      'document-functions/timer.mjs': leave("setInterval(() => process.stdout.write('ghost'), 1)"),
      'document-functions/socket.mjs': `import { createServer } from 'node:net'\n${leave('createServer().listen(0)')}`,
      'document-functions/late.mjs': running('for (;;);', 100),
    },
    { maxProcesses: 1 },
  )
  assert.equal(await functions.textOf('clean'), '1')
  assert.equal(await functions.textOf('clean'), '2')
  for (const name of ['timer', 'socket']) {
    assert.equal(await functions.textOf(name), '1')
    assert.equal(await functions.textOf('clean'), '1')
    assert.equal(await functions.textOf('clean'), '2')
  }
  assert.equal((await functions.errorOf('late')).reason, 'timed-out')
  assert.equal(await functions.textOf('clean'), '1')
  assert.ok(!functions.logged.some((line) => line.function === 'clean'))
})

test('a function that could not be loaded is loaded again at the next call', async () => {
  const functions = await open({ 'document-functions/a.mjs': 'throw 1' }, { maxProcesses: 1 })
  assert.equal((await functions.errorOf('a')).reason, 'not-loaded')
  await functions.write('document-functions/a.mjs', answering("return 'fixed'"))
  assert.equal(await functions.textOf('a'), 'fixed')
})

for (const extension of ['mjs', 'cjs', 'ts'])
  test(`with watch, a changed .${extension} file is used at the next call; another stays loaded`, async () => {
    const text = (word: string) =>
      extension === 'cjs'
        ? answering(`return '${word}'`).replaceAll(/export const (\w+) =/g, 'exports.$1 =')
        : answering(`return '${word}'`)
    const file = `document-functions/changing.${extension}`
    const functions = await open(
      { [file]: text('first'), 'document-functions/count.mjs': counting },
      { watch: true, maxProcesses: 2 },
    )
    assert.equal(await functions.textOf('changing'), 'first')
    assert.equal(await functions.textOf('count'), '1')
    await functions.write(file, text('second'))
    assert.equal(await functions.textOf('changing'), 'second')
    assert.equal(await functions.textOf('count'), '2')
    assert.equal(await functions.textOf('changing'), 'second')
    await functions.write(file, text('one more'))
    assert.equal(await functions.textOf('changing'), 'one more')
  })

test('with watch, a missing file is an error until it exists again', async () => {
  const functions = await open(
    { 'document-functions/a.mjs': answering('return 1') },
    { watch: true },
  )
  assert.equal(await functions.textOf('a'), '1')
  const path = `${functions.directory}/document-functions/a.mjs`
  await rename(path, `${path}.away`)
  assert.equal((await functions.errorOf('a')).reason, 'not-loaded')
  await rename(`${path}.away`, path)
  assert.equal(await functions.textOf('a'), '1')
})

test('without watch, a thread keeps its loaded modules', async () => {
  const functions = await open(
    { 'document-functions/a.mjs': answering("return 'first'") },
    { maxProcesses: 1 },
  )
  assert.equal(await functions.textOf('a'), 'first')
  await functions.write('document-functions/a.mjs', answering("return 'second'"))
  assert.equal(await functions.textOf('a'), 'first')
})
