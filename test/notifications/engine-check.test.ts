/** `docket check` finds what is wrong with a notification before anybody is told: file, line, column and JSON path. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { examineProject } from '../../src/cli/open-project.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { NotificationRule } from '../../src/definitions/notification-matching.ts'
import { printFinding } from '../../src/definitions/source-file.ts'
import { runDocket } from '../support/docket.ts'
import { type ProjectFiles, writeProject } from '../support/service.ts'
import { about, engineFiles } from './an-engine.ts'

const recipient = { userFields: ['approver'] }

/** The project as people write it, so that every value has a line of its own. */
const written = async (entries: readonly NotificationRule[], more: object = {}) => {
  const files: ProjectFiles = engineFiles(entries, more)
  const text = JSON.stringify(files['entities/request.json'], undefined, 2)
  return { text, directory: await writeProject({ ...files, 'entities/request.json': text }) }
}

/** Where a text stands, as `line:column`. */
const placeOf = (text: string, part: string): string => {
  const before = text.slice(0, text.indexOf(part)).split('\n')
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

const findingsOf = async (message: string): Promise<string[]> => {
  const { text, directory } = await written([about('x', recipient, { content: { message } })])
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  await rm(directory, { recursive: true, force: true })
  const head = `entities/request.json:${placeOf(text, `"message": ${JSON.stringify(message)}`)} notifications[0].content.message `
  return findings.map(printFinding).map((line) => {
    assert.ok(line.startsWith(head), `${line}\ndoes not begin with\n${head}`)
    return line.slice(head.length)
  })
}

const issues: readonly [template: string, finding: string][] = [
  [
    '{{ recrod.number }}',
    '"recrod.number" is no variable of a notification; did you mean "record"?',
  ],
  ['{{ n }}', '"n" is no variable of a notification'],
  [
    '{{ record.nmber }}',
    '"record.nmber": "nmber" is not a field of request; did you mean "number"?',
  ],
  [
    '{{ record.supplier.region.nam }}',
    '"record.supplier.region.nam": "nam" is not a field of region; did you mean "name"?',
  ],
  [
    '{{ record.number.x }}',
    '"record.number.x": "number" of request is not an association, so the path cannot continue through it',
  ],
  [
    '{% for l in record.lines %}{{ l.id }}{% endfor %}',
    '"record.lines": "lines" of request is a one-to-many field: it has many records, not one value',
  ],
  [
    '{{ recipient.groups }}',
    '"recipient.groups": "groups" of user is a one-to-many field: it has many records, not one value',
  ],
  ['{{ record }}', '"record" is a whole record; name a field of it'],
  ['{{ entity }}', '"entity" is no text; name a part of it'],
  [
    '{{ actor.ful_name }}',
    '"actor.ful_name": "ful_name" is not a field of user; did you mean "full_name"?',
  ],
  ['{{ action.kid }}', '"action.kid" is not there; did you mean "kind"?'],
  ['{{ entity.key.x }}', '"entity.key.x" is not there; did you mean "key"?'],
  ['{{ comment.text }}', '"comment.text" is not there'],
  ['{{ record[record.number] }}', '"record.[…]" picks a field while it runs; name it plainly'],
  ['{{ record.number | append: m }}', '"m" is no variable of a notification'],
  ['{% if record.total > most %}{% endif %}', '"most" is no variable of a notification'],
  [
    '{{ record.number }',
    'is no Liquid template: output "{{ record.number }" not closed, line:1, col:1',
  ],
  [
    'x\n{% if record.number %}',
    'is no Liquid template: tag {% if record.number %} not closed, line:2, col:1',
  ],
  ['{{ record.number | upcas }}', 'is no Liquid template: undefined filter: upcas, line:1, col:1'],
  ['{% fro %}', 'is no Liquid template: tag "fro" not found, line:1, col:1'],
  // A template opens no file.
  ['{% include record.number %}', 'is no Liquid template: tag "include" not found, line:1, col:1'],
  ['{% render "package.json" %}', 'is no Liquid template: tag "render" not found, line:1, col:1'],
  ['{% layout "package.json" %}', 'is no Liquid template: tag "layout" not found, line:1, col:1'],
]
for (const [template, finding] of issues)
  test(`${JSON.stringify(template)} is found: ${finding}`, async () => {
    assert.deepEqual(await findingsOf(template), [finding])
  })

const right = [
  'No names at all, {{ 1 | plus: 2 }}',
  '{{ record.number }} {{ record["number"] }} {{ record.supplier_id }} {{ record.supplier }}',
  '{{ record.supplier.region.head.security_role.key }} {{ record._owned_by.full_name }}',
  '{{ record.extra.any[0].thing }} {{ record.extra[record.number] }}',
  '{% assign n = record.number %}{{ n }}',
  '{% for i in (1..3) %}{{ i }} {{ forloop.index }}{% endfor %}',
  '{% if comment and action.form == "decision" %}{{ comment | upcase }}{% endif %}',
  '{% raw %}{{ anything }}{% endraw %}',
]
for (const template of right)
  test(`${JSON.stringify(template)} is right`, async () => {
    assert.deepEqual(await findingsOf(template), [])
  })

test('every mistake of every part of every entry is found at once', async () => {
  const { text, directory } = await written([
    about('x', recipient, { content: { title: '{{ a }} {{ b }} {{ a }}', url: '{{ c' } }),
    about('x', recipient),
    about('x', recipient, { content: { icon: '{{ d }}', due_date: '{{ e }}' } }),
  ])
  const { code, out } = await runDocket(['check', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  const at = (part: string) => `entities/request.json:${placeOf(text, part)} notifications`
  const unknown = 'is no variable of a notification'
  assert.deepEqual(out.trimEnd().split('\n'), [
    `${at('"title": "{{ a')}[0].content.title "a" ${unknown}`,
    `${at('"title": "{{ a')}[0].content.title "b" ${unknown}`,
    `${at('"url": "{{ c')}[0].content.url is no Liquid template: output "{{ c" not closed, line:1, col:1`,
    `${at('"icon": "{{ d')}[2].content.icon "d" ${unknown}`,
    `${at('"due_date": "{{ e')}[2].content.due_date "e" ${unknown}`,
    '5 errors, 0 warnings.',
  ])
  assert.equal(code, 3)
})

test('entries without the hook are a warning, and the project may start', async () => {
  const { text, directory } = await written([about('x', recipient)], { hooks: [] })
  const { code, out } = await runDocket(['check', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  const place = placeOf(text, '"notifications":')
  assert.match(
    out,
    new RegExp(
      `^entities/request\\.json:${place} warning: notifications have no effect without the hook .*_sendNotificationHandler`,
    ),
  )
  assert.equal(code, 0)
})

test('a project with a wrong template does not start, and says where it is', async () => {
  const { directory } = await written([about('x', recipient, { content: { title: '{{ a }}' } })])
  const { code, err } = await runDocket(['start', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  assert.notEqual(code, 0)
  assert.match(err, /request\.json:\d+:\d+ notifications\[0\]\.content\.title "a" is no variable/)
})
