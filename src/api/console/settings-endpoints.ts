/** What the console keeps for a user, in one JSON object: theme, language, widths of columns (docs/console.md). */
import { type Pool, queryValue } from '../../database/pool.ts'
import { bound, int, sql, texts } from '../../database/sql.ts'
import { jsonIssue } from '../../definitions/field-types/json.ts'
import { isObject, kindOf } from '../../definitions/values/check-value.ts'
import { validationError } from '../../errors.ts'
import type { Body } from '../../http/endpoint/body.ts'
import { type ApiSection, endpoint } from '../../http/endpoint/endpoint.ts'
import { JsonText } from '../../http/endpoint/mount-path.ts'
import { json } from '../../http/openapi/operation.ts'
import { addIssue, type Issue, isFull } from '../../issues.ts'

type SettingsDeps = { readonly pool: Pool }

const maxBytes = 65_536
const maxNames = 200
const namePattern = '^[A-Za-z0-9_.:-]{1,200}$'

type Settings = Readonly<Record<string, unknown>>

const isName = new RegExp(namePattern)

/** The names to change; pages of other versions may use names that this one does not know. */
const change: Body<Settings> = {
  describe: () => ({
    isRequired: true,
    schema: {
      type: 'object',
      maxProperties: maxNames,
      propertyNames: { pattern: namePattern },
      additionalProperties: true,
    },
    examples: { theme: { summary: 'Dark, in the language of the browser', value: example } },
  }),
  read: (body) => {
    if (!isObject(body))
      throw invalid([{ path: '', message: `must be an object, not ${kindOf(body)}` }])
    const issues = issuesOf(body)
    if (issues.length > 0) throw invalid(issues)
    return body
  },
}

const example = { theme: 'dark', language: null }

const invalid = (issues: readonly Issue[]) => validationError('request.invalid', issues)

const issuesOf = (body: Settings): readonly Issue[] => {
  const names = Object.entries(body)
  if (names.length > maxNames)
    return [{ path: '', message: `has ${names.length} names, at most ${maxNames} are allowed` }]
  const issues: Issue[] = []
  for (const [name, value] of names) {
    if (isFull(issues)) break
    const message = isName.test(name)
      ? jsonIssue(value)
      : `is not a name: it must match ${namePattern}`
    if (message !== undefined) addIssue(issues, { path: name, message })
  }
  return issues
}

/** The settings of a user as JSON; those of a user who has none are empty. */
const selectSettings = async (pool: Pool, userId: number): Promise<string> =>
  (await queryValue<string>(
    pool,
    sql`SELECT settings::text FROM docket.console_settings WHERE user_id = ${int(userId)}`,
  )) ?? '{}'

/** Sets names, or removes those whose value is null, and returns all settings as JSON; undefined if they would be too large. */
const mergeSettings = async (
  pool: Pool,
  userId: number,
  change: Settings,
): Promise<string | undefined> => {
  const isSet = ([, value]: readonly [string, unknown]) => value !== null
  const names = Object.entries(change)
  const set = JSON.stringify(Object.fromEntries(names.filter(isSet)))
  const removed = names.filter((one) => !isSet(one)).map(([name]) => name)
  const merged = sql`(s.settings || excluded.settings) - ${texts(removed)}`
  return queryValue<string>(
    pool,
    sql`
      INSERT INTO docket.console_settings AS s (user_id, settings)
      SELECT ${int(userId)}, given
      FROM (SELECT ${bound(set, 'jsonb')} AS given) AS sent
      WHERE octet_length(given::text) <= ${int(maxBytes)}
      ON CONFLICT (user_id) DO UPDATE SET settings = ${merged}
      WHERE octet_length((${merged})::text) <= ${int(maxBytes)}
      RETURNING s.settings::text`,
  )
}

const common = { tag: 'Console', who: 'caller', path: '/console/-/settings.json' } as const

const settings = {
  type: 'object',
  additionalProperties: true,
  description: 'By name; any JSON values.',
} as const

/** The settings of the caller. */
export const settingsSection: ApiSection<SettingsDeps> = {
  tags: [{ name: common.tag, description: 'What the console keeps for its users.' }],
  endpoints: [
    endpoint({
      ...common,
      method: 'get',
      id: 'getConsoleSettings',
      summary: 'Your settings of the console',
      answers: { 200: json('All of them.', settings) },
      handle: async ({ caller }, { pool }: SettingsDeps) =>
        new JsonText(await selectSettings(pool, caller.userId)),
    }),
    endpoint({
      ...common,
      method: 'patch',
      id: 'changeConsoleSettings',
      summary: 'Change your settings of the console',
      description: `Each name that is sent gets its value, null removes it, and all others stay: changes of several pages at the same time do not undo each other. All settings together take at most ${maxBytes} bytes.`,
      body: change,
      answers: { 200: json('All settings after the change.', settings) },
      handle: async ({ caller, body }, { pool }: SettingsDeps) => {
        const merged = await mergeSettings(pool, caller.userId, body)
        if (merged === undefined)
          throw invalid([
            { path: '', message: `all settings together take at most ${maxBytes} bytes` },
          ])
        return new JsonText(merged)
      },
    }),
  ],
}
