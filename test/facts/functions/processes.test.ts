/** What stays in the process of functions for the next call, and which files that uses. */
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { answering, createFunctions, running } from '../../support/functions/some-functions.ts'

const counting = `let calls = 0
export const timeout = 5000
export const exec = () => {
  calls += 1
  return { documents: [{ filename: 'a', mimetype: 'a/b', data: Buffer.from(String(calls)) }] }
}
`
const leave = (code: string) => counting.replace('calls += 1', `calls += 1; ${code}`)
const word = (text: string) => answering(`return '${text}'`)
const asCommonJs = (text: string) => text.replaceAll(/export const (\w+) =/g, 'exports.$1 =')

/** Of one process. */
const functions = opened(() =>
  createFunctions(
    {
      'document-functions/count.mjs': counting,
      'document-functions/failing.mjs': counting.replace(
        'return',
        'if (calls === 2) throw 1; if (calls === 3) return 5; return',
      ),
      'document-functions/clean.mjs': counting,
      'document-functions/timer.mjs': leave("setInterval(() => process.stdout.write('ghost'), 1)"),
      'document-functions/socket.mjs': `import { createServer } from 'node:net'\n${leave('createServer().listen(0)')}`,
      'document-functions/late.mjs': running('for (;;);', 100),
      'document-functions/wrong.mjs': 'throw 1',
      'document-functions/changing.mjs': word('first'),
    },
    { maxProcesses: 1 },
  ),
)
/** Uses changed files. */
const watching = opened(() =>
  createFunctions(
    {
      'document-functions/count.mjs': counting,
      'document-functions/esm.mjs': word('first'),
      'document-functions/common.cjs': asCommonJs(word('first')),
      'document-functions/types.ts': word('first'),
      'document-functions/away.mjs': word('here'),
    },
    { watch: true },
  ),
)

test('a module is loaded once, and later calls use the loaded one', async () => {
  const texts = []
  for (let call = 0; call < 4; call++) texts.push(await functions.textOf('count'))
  assert.deepEqual(texts, ['1', '2', '3', '4'])
})

test('after a thrown error and an invalid result the thread is used again', async () => {
  assert.equal(await functions.textOf('failing'), '1')
  assert.equal((await functions.errorOf('failing')).reason, 'threw')
  assert.equal((await functions.errorOf('failing')).reason, 'wrong-answer')
  assert.equal(await functions.textOf('failing'), '4')
})

test('a thread is not used again after a timeout, or when a call leaves a timer or a socket open', async () => {
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

test('a function that could not be loaded is loaded again at the next call; what is loaded is kept', async () => {
  assert.equal((await functions.errorOf('wrong')).reason, 'not-loaded')
  await functions.write('document-functions/wrong.mjs', word('fixed'))
  assert.equal(await functions.textOf('wrong'), 'fixed')
  assert.equal(await functions.textOf('changing'), 'first')
  await functions.write('document-functions/changing.mjs', word('second'))
  assert.equal(await functions.textOf('changing'), 'first')
})

test('with watch, a changed file is used at the next call, and others stay loaded', async () => {
  const contents = ['first', 'second', 'one more']
  for (const file of ['esm.mjs', 'common.cjs', 'types.ts'])
    for (const [index, text] of contents.entries()) {
      const [name = ''] = file.split('.')
      const source = file.endsWith('.cjs') ? asCommonJs(word(text)) : word(text)
      if (index > 0) await watching.write(`document-functions/${file}`, source)
      assert.equal(await watching.textOf(name), text, file)
      // The third content needs a process, of which there are two: one that has an earlier one ends.
      if (name === 'esm' && index < 2)
        assert.equal(await watching.textOf('count'), String(index + 1))
      assert.equal(await watching.textOf(name), text, file)
    }
})

test('with watch, a missing file is an error until it exists again', async () => {
  assert.equal(await watching.textOf('away'), 'here')
  const path = `${watching.directory}/document-functions/away.mjs`
  await rename(path, `${path}.away`)
  assert.equal((await watching.errorOf('away')).reason, 'not-loaded')
  await rename(`${path}.away`, path)
  assert.equal(await watching.textOf('away'), 'here')
})
