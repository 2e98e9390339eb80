/** Every function in a definition exists, or the project is rejected with the place. */
import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { test } from 'node:test'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { findFunctions } from '../../../src/functions/find-functions.ts'
import { checkFunctions } from '../../../src/functions/load-functions.ts'
import { writeProject } from '../../support/service.ts'

const message = { type: 'message', hookType: 'AfterChange' }
const send = { ...message, functionName: '_sendNotificationHandler' }

/** Findings of a project whose only notification attaches these functions. */
const findingsOf = async (
  files: Readonly<Record<string, string>>,
  attached: readonly string[] = [],
  handlers: readonly string[] = [],
): Promise<string[]> => {
  const directory = await writeProject({
    ...files,
    'entities/order.json': {
      key: 'order',
      fields: [{ key: 'number', type: 'string' }],
      hooks: [send, ...handlers.map((functionName) => ({ ...message, functionName }))],
      notifications: [
        {
          operation: 'create',
          recipient: { userFields: ['_created_by'] },
          attachments: { documentFunctions: attached },
        },
      ],
    },
  })
  const { project, findings } = await loadProject(directory)
  assert.deepEqual(findings, [])
  const found = project ? await checkFunctions(project) : []
  return found.map((finding) => printFinding(finding).replace(/:\d+:\d+/, ''))
}

const program = 'export const exec = () => {}'

test('every extension is found, and so is every built-in function', async () => {
  const files = {
    'document-functions/a.ts': program,
    'document-functions/b.js': program,
    'document-functions/c.mjs': program,
    'document-functions/d-e_f.2.cjs': program,
    'message-handlers/on_change.ts': program,
  }
  const native = ['native/entity-export', 'native/entity-export-xlsx', 'native/record-json']
  const attached = ['a', 'b', 'c', 'd-e_f.2', ...native]
  assert.deepEqual(await findingsOf(files, attached, ['on_change']), [])
})

test('a name that leads elsewhere is rejected, whatever files exist', async () => {
  const files = {
    'secret.ts': program,
    'document-functions/lines.ts': program,
    'document-functions/parts/lines.ts': program,
  }
  const names = [
    ...['../secret', '..', 'a/../lines', 'parts/lines', '/etc/passwd', 'document-functions/lines'],
    ...['lines/', 'lines\\x', 'native/../lines', 'native/sub/x', 'lines\0'],
  ]
  assert.deepEqual(
    await findingsOf(files, names),
    names.map(
      (name, index) =>
        `entities/order.json notifications[0].attachments.documentFunctions[${index}] "${name}" is not a valid function name: it must not contain "..", nor a slash other than that of "native/"`,
    ),
  )
})

test('a name without a file, and an unknown built-in function, are rejected with a suggestion', async () => {
  const files = { 'document-functions/order-lines.ts': program }
  const missing = ['order-line', 'Order-lines']
  const found = await findingsOf(files, [...missing, 'native/record-jsn', 'native/'])
  assert.deepEqual(
    found.map((line) => line.replace('entities/order.json notifications[0].attachments.', '')),
    [
      ...missing.map(
        (name, at) =>
          `documentFunctions[${at}] there is no file document-functions/${name}.ts (nor .js, .mjs, .cjs); did you mean "order-lines"?`,
      ),
      'documentFunctions[2] there is no built-in function "native/record-jsn"; did you mean "native/record-json"?',
      'documentFunctions[3] there is no built-in function "native/"; those are native/entity-export, native/entity-export-xlsx, native/record-json',
    ],
  )
})

test('a hook without a handler is rejected; one for notifications needs none', async () => {
  const files = { 'message-handlers/tell_erp.ts': program, 'document-functions/other.ts': program }
  assert.deepEqual(await findingsOf(files, [], ['tell_epr', 'other', '_sendNotificationHandle']), [
    'entities/order.json hooks[1].functionName there is no file message-handlers/tell_epr.ts (nor .js, .mjs, .cjs); did you mean "tell_erp"?',
    'entities/order.json hooks[2].functionName there is no file message-handlers/other.ts (nor .js, .mjs, .cjs)',
    'entities/order.json hooks[3].functionName there is no file message-handlers/_sendNotificationHandle.ts (nor .js, .mjs, .cjs); did you mean "_sendNotificationHandler"?',
  ])
})

test('two files with the same name in a folder are an error', async () => {
  const files = {
    'document-functions/lines.js': program,
    'document-functions/lines.ts': program,
    'message-handlers/lines.cjs': program,
    'message-handlers/a..b.mjs': program,
  }
  assert.deepEqual(await findingsOf(files), [
    'document-functions/lines.ts is "lines", and so is document-functions/lines.js; keep one',
    'message-handlers/a..b.mjs has ".." in its name, so no definition can name it',
  ])
})

test('folders, declarations, hidden files and other files are not functions; a link to a file is one', async () => {
  const directory = await writeProject({
    'document-functions/README.md': '',
    'document-functions/types.d.ts': '',
    'document-functions/.hidden.ts': program,
    'document-functions/folder.ts/a.ts': program,
    'document-functions/data.json': '{}',
    'document-functions/real.ts': program,
  })
  await symlink('real.ts', `${directory}/document-functions/linked.ts`)
  await symlink('nowhere.ts', `${directory}/document-functions/broken.ts`)
  const { files, findings } = await findFunctions(directory)
  assert.deepEqual([...files.document.keys()], ['linked', 'real'])
  assert.deepEqual(findings, [])
})

test('a file in place of the folder is an error', async () => {
  assert.match(
    (await findingsOf({ 'document-functions': '' })).join(),
    /document-functions cannot be read/,
  )
})
