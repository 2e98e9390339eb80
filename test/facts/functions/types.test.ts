/** The types of the installed package fit the functions of the documentation. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The output of the compiler; empty when everything compiles. */
const compile = (args: readonly string[], cwd = root): Promise<string> =>
  new Promise((done) =>
    execFile(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...args],
      { cwd, timeout: 240_000 },
      (error, out, err) => done(error ? `${out}${err}` : ''),
    ),
  )

const options = {
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext'],
  types: ['node'],
  strict: true,
  noEmit: true,
  erasableSyntaxOnly: true,
}

test('functions of the documentation and of the example compile with the types of the installed package', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-types-'))
  const installed = join(directory, 'node_modules/docket')
  try {
    await mkdir(installed, { recursive: true })
    await cp(join(root, 'package.json'), join(installed, 'package.json'))
    for (const name of ['typebox', '@types', 'undici-types'])
      await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name))
    const build = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly']
    assert.equal(await compile([...build, '--outDir', join(installed, 'dist')]), '')
    const page = await readFile(join(root, 'docs/functions.md'), 'utf8')
    const shown = [...page.matchAll(/<!-- project (\S+) -->\n```ts\n([\s\S]*?)```/g)]
    for (const [, path = '', text = ''] of shown) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), text)
    }
    const example = 'document-functions/order-lines-csv.ts'
    await cp(join(root, 'example', example), join(directory, example))
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    const wrong =
      "import type { MessageHandler } from 'docket'\nexport const exec: MessageHandler = ({ entityKy }) => entityKy\n"
    await mkdir(join(directory, 'message-handlers'), { recursive: true })
    await writeFile(join(directory, 'message-handlers/wrong.ts'), wrong)
    // The only error is that of a function which is wrong on purpose.
    assert.match(
      await compile(['--pretty', 'false'], directory),
      /^message-handlers\/wrong\.ts\(2,\d+\): error TS\d+: Property 'entityKy' does not exist on type 'FunctionContext'.*\n$/,
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
