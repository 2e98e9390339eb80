/** `docket check` reports issues of notification rules and of e-mail templates, each at its place. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { callDocket } from '../../support/call-docket.ts'
import { about, engineFiles } from '../../support/notifications/an-engine-project.ts'
import { findingsOf } from '../../support/project-findings.ts'
import { writeProject } from '../../support/service.ts'

const recipient = { userFields: ['approver'] }
const unknown = 'is not a variable of a notification'

/** The project with each value of its requests on a line of its own. */
const formatted = (rules: readonly NotificationRule[], more: object = {}) => {
  const files = engineFiles(rules, more)
  const text = JSON.stringify(files['entities/request.json'], undefined, 2)
  return { text, files: { ...files, 'entities/request.json': text } }
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
    '"record.lines": "lines" of request is a one-to-many field: it has many records, not one value; conditions ask these with "$some" and "$none"',
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
    'x\n{% if record.number %}',
    'is not a valid Liquid template: tag {% if record.number %} not closed, line:2, col:1',
  ],
  // A template cannot read a file.
  ...['include', 'render', 'layout', 'block'].map((tag): [string, string] => [
    `{% ${tag} "package.json" %}`,
    `is not a valid Liquid template: tag "${tag}" not found, line:1, col:1`,
  ]),
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
    ['title', '{{ a }} {{ b }} {{ a }}', ['a', 'b'].map((name) => `"${name}" ${unknown}`)] as const,
    ['url', '{{ c }}', [`"c" ${unknown}`]] as const,
    ['icon', '{{ d }}', [`"d" ${unknown}`]] as const,
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

test('each text in the body of a webhook is a template, and a body needs its webhook', async () => {
  const texts = {
    text: '{{ titel }}',
    more: [{ at: '{{ record.nmber }}', is: '{{ due_at }} {{ url }}' }],
  }
  const rules = [
    about('x', recipient, { webhook: 'erp', webhookBody: texts }),
    about('x', recipient, { webhookBody: { text: '{{ title | json }}', n: 1 } }),
    about('x', recipient, { webhook: 'erp', webhookBody: { text: 'x'.repeat(16_384) } }),
  ]
  const { text, files } = formatted(rules)
  const at = (part: string) => `entities/request.json:${positionOf(text, part)}`
  const found = await findingsOf(files)
  assert.deepEqual(found.slice(0, 2), [
    `${at('"text": "{{ titel')} notifications[0].webhookBody.text "titel" ${unknown}; did you mean "title"?`,
    `${at('"at": "{{ record')} notifications[0].webhookBody.more[0].at "record.nmber": "nmber" is not a field of request; did you mean "number"?`,
  ])
  assert.match(
    found[2] ?? '',
    /notifications\[1\]\.webhookBody is of no use without the property "webhook"$/,
  )
  assert.match(
    found[3] ?? '',
    /notifications\[2\]\.webhookBody has 16395 bytes, at most 16384 are allowed$/,
  )
  assert.equal(found.length, 4)
})

test('rules without the hook are a warning', async () => {
  const { text, files } = formatted([about('x', recipient)], { hooks: [] })
  const [finding = '', ...others] = await findingsOf(files)
  const position = positionOf(text, '"notifications":')
  const start = `entities/request.json:${position} warning: notifications have no effect without the hook`
  assert.ok(finding.startsWith(start) && finding.includes('_sendNotificationHandler'), finding)
  assert.deepEqual(others, [])
})

test('what a rule of changes or dates lacks, or has of another operation, is reported at its place', async () => {
  const index = `"needed_by" is read every minute; give request an index: {"fields":["needed_by"]}`
  const date = { operation: 'date', field: 'meeting_at' } as const
  const change = { operation: 'change' } as const
  const rows: readonly [rule: Partial<NotificationRule>, findings: readonly string[]][] = [
    [{ ...change, fields: ['total', 'supplier', '_step', '_owned_by'] }, []],
    [
      { ...change, fields: ['totl', '_created_at', 'total', 'total'] },
      [
        'fields[0] "totl" is not a field of request that changes; did you mean "total"?',
        'fields[1] "_created_at" is not a field of request that changes',
        'warning: fields[3] "total" is listed twice',
      ],
    ],
    [
      { ...change, before: { totl: '1' } },
      ['before $where.totl: "totl" is not a field of request; did you mean "total"?'],
    ],
    [
      {
        ...change,
        content: { title: '{{ before.number }} {{ before.supplier.name }} {{ before.x }}' },
      },
      [
        'content.title "before.supplier.name" is a link, of which there is only the present one; name a field with a value of its own',
        'content.title "before.x": "x" is not a field of request',
      ],
    ],
    [
      { operation: 'create', content: { title: '{{ before.number }}' } },
      [`content.title "before.number" ${unknown}`],
    ],
    [
      { operation: 'create', fields: ['total'], before: {}, field: 'needed_by', late: '1 day' },
      ['fields', 'before', 'field', 'late'].map(
        (name) => `${name} has no effect with the operation "create"`,
      ),
    ],
    [{ ...date, offset: '-90 minutes' }, []],
    [{ ...date, offset: '2 weeks', at: '23:59', late: '36 hours' }, []],
    [{ operation: 'date' }, ['requires the property "field" for "date"']],
    [{ ...date, field: 'total' }, ['field "total" is not a date or a timestamp of request']],
    [
      { ...date, field: 'needd_by' },
      ['field "needd_by" is not a date or a timestamp of request; did you mean "needed_by"?'],
    ],
    [{ ...date, field: 'needed_by' }, [`warning: field ${index}`]],
    [
      { ...date, offset: '30 day before' },
      [
        'offset must be a number of minutes, hours, days, weeks, months or years, such as "-30 days", of at most a hundred years',
      ],
    ],
    [
      { ...date, field: 'needed_by', offset: '-2 hours' },
      [
        'offset is in hours, but "needed_by" is a day; write days, and "at"',
        `warning: field ${index}`,
      ],
    ],
    [
      { ...date, offset: '-2 hours', at: '08:00' },
      ['at has no effect with an offset in hours, which counts from the moment'],
    ],
    ...['59 minutes', '91 days', '1 month'].map(
      (late): [Partial<NotificationRule>, readonly string[]] => [
        { ...date, late },
        ['late must be from "1 hour" to "90 days", in hours, days or weeks'],
      ],
    ),
    [
      { ...date, replyTo: 'actor', recipient: { ...recipient, includeActor: false } },
      [
        'replyTo has no effect: nobody acts when a date is due; name a field of a user',
        'warning: recipient.includeActor has no effect: nobody acts when a date is due; leave it out',
      ],
    ],
  ]
  for (const [rule, expected] of rows) {
    const rules = [{ operation: 'create', recipient, ...rule } as NotificationRule]
    const found = await findingsOf(engineFiles(rules, { indexes: [{ fields: ['meeting_at'] }] }))
    const own = found.map((finding) =>
      finding.replace(/^\S+ (warning: )?notifications\[0\]\.? ?/, (_, warning = '') => warning),
    )
    assert.deepEqual(own.toSorted(), expected.toSorted(), JSON.stringify(rule))
  }
})

test('a project with an invalid template does not start, and the message has its position', async () => {
  const { files } = formatted([about('x', recipient, { content: { title: '{{ a }}' } })])
  const directory = await writeProject(files)
  const { code, err } = await callDocket(['start', '--project', directory])
  assert.notEqual(code, 0)
  assert.match(
    err,
    /request\.json:\d+:\d+ notifications\[0\]\.content\.title "a" is not a variable/,
  )
})

test('an action that does not exist, or that leads back, cannot be named as one that can be taken', async () => {
  const steps = [
    { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
    {
      key: 'review',
      actions: [
        { key: 'approve', kind: 'approveWorkflow', to: 'done' },
        { key: 'return', kind: 'returnToStep' },
      ],
    },
    { key: 'done', final: true },
  ]
  const canTakeOf = async (canTake: string, workflow?: object) => {
    const rule = about('x', { userGroups: ['x'], canTake })
    const findings = await findingsOf(engineFiles([rule], { workflow }))
    return findings.flatMap((line) => line.split('notifications[0].recipient.canTake ').slice(1))
  }
  const workflow = { initialStep: 'draft', steps }
  const known = '"aprove" is not the key of an action of request; did you mean "approve"?'
  const back = '"return" leads back, which depends on each record; name another action of its step'
  for (const [canTake, of, ...findings] of [
    ['approve', workflow],
    ['aprove', workflow, known],
    ['return', workflow, back],
    ['approve', undefined, 'needs a workflow on request'],
  ] as const)
    assert.deepEqual(await canTakeOf(canTake, of), findings)
})

describe('an e-mail template', () => {
  const mjml = (text: string, subject = '{{ title }}') =>
    `---\nsubject: "${subject}"\n---\n<mjml>\n  <mj-body><mj-section><mj-column><mj-text>\n${text}\n</mj-text></mj-column></mj-section></mj-body>\n</mjml>\n`

  type Case = {
    readonly template?: string
    readonly rules?: readonly NotificationRule[]
    readonly variables?: Readonly<Record<string, string>>
  }
  /** The findings of a project whose template has the id `own`. */
  const findingsWith = ({ template, rules = [], variables }: Case): Promise<string[]> => {
    const project = engineFiles(rules)
    const supplier = { ...(project['entities/supplier.json'] as object), displayField: 'name' }
    const files = { ...project, 'entities/supplier.json': supplier }
    const own = template !== undefined && { 'email-templates/own.mjml': template }
    return findingsOf({ ...files, ...own }, variables)
  }
  const ruleWith = (emailTemplateId: string) => [about('x', recipient, { emailTemplateId })]
  const asDefault = (id: string) => ({ WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID: id })

  test('is reported with the line of each issue', async () => {
    const found = {
      '{{ record.nmber }}':
        '"record.nmber": "nmber" is not a field of request; did you mean "number"?',
      '{{ record.supplier.region.name }}':
        '"record.supplier.region.name" is not available in what is sent, which has only the display field of a linked record',
      '{{ recipient.phone }}': '"recipient.phone" does not exist',
      '{{ names.number }}': '"names.number" is neither a choice nor a step, which alone have names',
      '{{ message.text }}': '"message.text" does not exist',
    }
    const template = mjml(Object.keys(found).join('\n'))
    assert.deepEqual(
      await findingsWith({ template, rules: ruleWith('own') }),
      Object.values(found).map(
        (finding, index) => `email-templates/own.mjml:${6 + index}:1 ${finding}`,
      ),
    )
  })

  test('may use all variables of an e-mail', async () => {
    const template =
      mjml(`{{ recipient.id }} {{ recipient.full_name }} {{ recipient.email }} {{ actor.email }}
    {{ record.id }} {{ record.number }} {{ record.supplier }} {{ record.supplier_id }} {{ record.supplier.name }}
    {{ record.extra.any[0].thing }} {{ record._created_at }} {{ names._step }} {{ entity.name }} {{ action.to_name }} {{ comment }}
    {{ title }} {{ message }} {{ url }} {{ unsubscribe_url }}
    {% for a in attachments %}{{ a.filename }}{% endfor %}{% for l in links %}{{ l.url }} {{ l.until }}{% endfor %}
    {{ missing | join: ", " }}`)
    assert.deepEqual(await findingsWith({ template, rules: ruleWith('own') }), [])
  })

  for (const { what, finding, ...more } of [
    {
      what: 'an unknown variable in the subject',
      template: mjml('x', '{{ tilte }}'),
      finding: `2:1 "tilte" ${unknown}; did you mean "title"?`,
    },
    {
      what: 'without a rule, an unknown variable, but not a field of an entity',
      template: mjml('{{ record.any.thing }} {{ x }}'),
      finding: `6:1 "x" ${unknown}`,
    },
    {
      what: 'of the default template, what the entities of all rules without a template lack',
      template: mjml('{{ record.nope }}'),
      rules: [about('x', recipient)],
      variables: asDefault('own'),
      finding: '6:1 "record.nope": "nope" is not a field of request',
    },
    {
      what: 'an error of MJML or Liquid',
      template: mjml('{{ title | upcas }}'),
      finding: '6:1 is not a valid Liquid template: undefined filter: upcas',
    },
  ] as const)
    test(`is reported with the line of ${what}`, async () => {
      assert.deepEqual(await findingsWith(more), [`email-templates/own.mjml:${finding}`])
    })

  test('that is missing is reported at the place that names it, unless it is one of a provider', async () => {
    const found = await findingsWith({
      template: mjml('x'),
      rules: ruleWith('ow'),
      variables: asDefault('../x'),
    })
    assert.deepEqual(
      found.map((line) => line.replace(/request\.json:\d+:\d+/, 'request.json')),
      [
        'entities/request.json warning: notifications[0].emailTemplateId there is no file email-templates/ow.mjml, so the built-in template is used; did you mean "own"?',
        'email-templates/../x.mjml:1:1 there is no file email-templates/../x.mjml; WORKFLOW_NOTIFICATION_FILE_DEFAULT_TEMPLATE_ID names it',
      ],
    )
    const ofProvider = {
      EMAIL_PROVIDER: 'sendgrid',
      SENDGRID_API_KEY: 'k',
      EMAIL_FROM: 'a@b.example',
    }
    assert.deepEqual(await findingsWith({ rules: ruleWith('d-1'), variables: ofProvider }), [])
  })
})
