/** `docket check` reports issues of notification rules with file, line, column and JSON path. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { callDocket } from '../../support/call-docket.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'
import { findingsOf } from '../../support/project-findings.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const recipient = { userFields: ['approver'] }

/** The project with each value of its requests on a line of its own. */
const formatted = (rules: readonly NotificationRule[], more: object = {}) => {
  const files: ProjectFiles = engineFiles(rules, more)
  const text = JSON.stringify(files['entities/request.json'], undefined, 2)
  return { text, files: { ...files, 'entities/request.json': text } }
}
/** Runs a command on it. */
const callOn = async (command: string, { files }: ReturnType<typeof formatted>) => {
  const directory = await writeProject(files)
  const outcome = await callDocket([command, '--project', directory])
  await rm(directory, { recursive: true, force: true })
  return outcome
}

/** The position of a text, as `line:column`. */
const positionOf = (text: string, part: string): string => {
  const before = text.slice(0, text.indexOf(part)).split('\n')
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

const issues: readonly [template: string, finding: string][] = [
  [
    '{{ recrod.number }}',
    '"recrod.number" is not a variable of a notification; did you mean "record"?',
  ],
  ['{{ n }}', '"n" is not a variable of a notification'],
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
  ['{{ entity }}', '"entity" is an object; name a property of it'],
  [
    '{{ actor.ful_name }}',
    '"actor.ful_name": "ful_name" is not a field of user; did you mean "full_name"?',
  ],
  ['{{ action.kid }}', '"action.kid" does not exist; did you mean "kind"?'],
  ['{{ entity.key.x }}', '"entity.key.x" does not exist'],
  ['{{ comment.text }}', '"comment.text" does not exist'],
  ['{{ record[record.number] }}', '"record.[…]" selects a field at run time; write its name'],
  ['{{ record.number | append: m }}', '"m" is not a variable of a notification'],
  ['{% if record.total > most %}{% endif %}', '"most" is not a variable of a notification'],
  [
    '{{ record.number }',
    'is not a valid Liquid template: output "{{ record.number }" not closed, line:1, col:1',
  ],
  [
    'x\n{% if record.number %}',
    'is not a valid Liquid template: tag {% if record.number %} not closed, line:2, col:1',
  ],
  [
    '{{ record.number | upcas }}',
    'is not a valid Liquid template: undefined filter: upcas, line:1, col:1',
  ],
  ['{% fro %}', 'is not a valid Liquid template: tag "fro" not found, line:1, col:1'],
  // A template cannot read a file.
  [
    '{% include record.number %}',
    'is not a valid Liquid template: tag "include" not found, line:1, col:1',
  ],
  [
    '{% render "package.json" %}',
    'is not a valid Liquid template: tag "render" not found, line:1, col:1',
  ],
  [
    '{% layout "package.json" %}',
    'is not a valid Liquid template: tag "layout" not found, line:1, col:1',
  ],
]
const valid = [
  'No variables, {{ 1 | plus: 2 }}',
  '{{ record.number }} {{ record["number"] }} {{ record.supplier_id }} {{ record.supplier }}',
  '{{ record.supplier.region.head.security_role.key }} {{ record._owned_by.full_name }}',
  '{{ record.extra.any[0].thing }} {{ record.extra[record.number] }}',
  '{% assign n = record.number %}{{ n }}',
  '{% for i in (1..3) %}{{ i }} {{ forloop.index }}{% endfor %}',
  '{% if comment and action.form == "decision" %}{{ comment | upcase }}{% endif %}',
  '{% raw %}{{ anything }}{% endraw %}',
]
const forPeople = (filter: string) =>
  `has the filter "${filter}", which writes for people: the service reads a due date, so write the field without it`
const unreadable = (printed: string) =>
  `warning: prints dates such as "${printed}", which the service cannot read: write YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, as a field without a filter does`
const dueDates: readonly [template: string, findings: readonly string[]][] = [
  ['{{ record.needed_by }}', []],
  ['{{ record.notes }}', []],
  ['{{ record.needed_by | date: "%Y-%m-%d" }} 12:00:00', []],
  ['{% if recipient.id == record._owned_by.id %}{{ record.needed_by }}{% endif %}', []],
  ['{{ record.extra.day }}', []],
  ['{{ record.needed_by | local_date }}', [forPeople('local_date')]],
  [
    '{% if record.total %}{% assign day = record.needed_by | local_date %}{{ day }}{% endif %}',
    [forPeople('local_date')],
  ],
  ['{{ record.total | number }}', [forPeople('number')]],
  ['{{ record.needed_by | date: "%d.%m.%Y" }}', [unreadable('24.11.2026')]],
  [
    '{% if recipient.id == record._owned_by.id %}by {{ record.meeting_at }}{% endif %}',
    [unreadable('by 2026-11-24T08:00:00.000Z')],
  ],
]
test('each template of a rule is reported with its position and its issues, or is valid', async () => {
  const rows = [
    ...issues.map(([template, finding]) => ['message', template, [finding]] as const),
    ...valid.map((template) => ['message', template, []] as const),
    ...dueDates.map(([template, findings]) => ['due_date', template, findings] as const),
  ]
  const { text, files } = formatted(
    rows.map(([part, template]) => about('x', recipient, { content: { [part]: template } })),
  )
  const expected = rows.flatMap(([part, template, found], index) => {
    const position = positionOf(text, `"${part}": ${JSON.stringify(template)}`)
    return found.map((finding) => {
      const [, warning = '', issue] = /^(warning: )?(.*)$/s.exec(finding) ?? []
      const path = `notifications[${index}].content.${part}`
      return `entities/request.json:${position} ${warning}${path} ${issue}`
    })
  })
  assert.deepEqual(await findingsOf(files), expected)
})

test('all issues of all parts of all rules are reported together', async () => {
  const project = formatted([
    about('x', recipient, { content: { title: '{{ a }} {{ b }} {{ a }}', url: '{{ c' } }),
    about('x', recipient),
    about('x', recipient, { content: { icon: '{{ d }}', due_date: '{{ e }}' } }),
  ])
  const { code, out } = await callOn('check', project)
  const at = (part: string) =>
    `entities/request.json:${positionOf(project.text, part)} notifications`
  const unknown = 'is not a variable of a notification'
  assert.deepEqual(out.trimEnd().split('\n'), [
    `${at('"title": "{{ a')}[0].content.title "a" ${unknown}`,
    `${at('"title": "{{ a')}[0].content.title "b" ${unknown}`,
    `${at('"url": "{{ c')}[0].content.url is not a valid Liquid template: output "{{ c" not closed, line:1, col:1`,
    `${at('"icon": "{{ d')}[2].content.icon "d" ${unknown}`,
    `${at('"due_date": "{{ e')}[2].content.due_date "e" ${unknown}`,
    '5 errors, 0 warnings.',
  ])
  assert.equal(code, 3)
})

test('rules without the hook are a warning', async () => {
  const project = formatted([about('x', recipient)], { hooks: [] })
  const { code, out } = await callOn('check', project)
  const position = positionOf(project.text, '"notifications":')
  assert.match(
    out,
    new RegExp(
      `^entities/request\\.json:${position} warning: notifications have no effect without the hook .*_sendNotificationHandler`,
    ),
  )
  assert.equal(code, 0)
})

test('a project with an invalid template does not start, and the message has its position', async () => {
  const project = formatted([about('x', recipient, { content: { title: '{{ a }}' } })])
  const { code, err } = await callOn('start', project)
  assert.notEqual(code, 0)
  assert.match(
    err,
    /request\.json:\d+:\d+ notifications\[0\]\.content\.title "a" is not a variable/,
  )
})
