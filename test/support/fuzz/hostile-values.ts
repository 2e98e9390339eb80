/** Values that often break services: texts, numbers, times, and JSON that no serializer produces. */
import type { Random } from './random.ts'

const marker = /"@@([0-9a-f]*)@@"/g
const doubled = /@@\d+":/g

/** A value that `jsonOf` writes as exactly this text. */
export const verbatim = (text: string): string => `@@${Buffer.from(text).toString('hex')}@@`

/** A name that `jsonOf` writes as `name`, so that an object can have duplicate names. */
export const duplicateName = (name: string, number: number): string => `${name}@@${number}`

/** JSON with verbatim values and duplicate names. */
export const jsonOf = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null')
    .replaceAll(marker, (_, hex: string) => Buffer.from(hex, 'hex').toString())
    .replaceAll(doubled, '":')

const texts: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', 'x\udfffx', '\ufeff', '\u202eabc'],
  ...['\u009b31m', '\r\n'],
  ...['null', 'true', 'NaN', '-0', '1e400', '0x10', '１２', '+1', '1_000', ' 1', '1.', '.5', '--1'],
  ...["'", '"', '\\', "';--", "' OR 1=1 --", '$1', '%', '_', '\\%', '%s%n', '$$', '/* */'],
  ...['{{ 7 | times: 6 }}', '{% raw %}', '<b>&amp;', '#{1}', `\${1}`, '=1+1', '@SUM(A1)', '\t=1'],
  ...['../../etc/passwd', '..%2f..', 'C:\\x', '/', '//', '.', '..', 'a/b', '?x=1', '#'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '$where', '_id', 'id', '-id', '*'],
  ...[
    '2026-02-30',
    '0000-00-00',
    '9999-12-31T23:59:59.999Z',
    '-000001-01-01',
    '2026-13-01',
    '24:00',
  ],
  ...['2026-03-29 02:30:00', '1e3-01-01', '+275760-09-13', '2026-01-01T00:00:00+99:99', 'infinity'],
  ...['a@b', 'a@b.example, c@d.example', 'x@y.z\r\nBcc: q@r.s', 'ž@ž.example', '"q q"@x.y'],
  ...['Ž'.repeat(300), '😀'.repeat(50), 'e\u0301'.repeat(100), 'x'.repeat(255), 'x'.repeat(256)],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '2147483648',
    '99999999999999999999.99',
  ],
  ...[
    `0.${'0'.repeat(500)}1`,
    '9'.repeat(1000),
    `1${'0'.repeat(400)}`,
    `-${'9'.repeat(20)}.${'9'.repeat(20)}`,
  ],
]

const numbers: readonly (number | string)[] = [
  ...[0, 1, -1, 1.5, -0.5, 2, 50, 100, 1000, 1001, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32],
  ...[2 ** 53 - 1, 2 ** 53, 2 ** 63, 1e15, 1e21, 1e-7, 1e308, 5e-324, -1e308],
  ...['-0', '1e400', '-1e400', '1E+2', '1.0', '0.10', '123456789012345678901234567890'].map(
    verbatim,
  ),
  ...[`1.${'0'.repeat(2000)}1`, '1'.repeat(2000), '1e-99999', '9007199254740993'].map(verbatim),
]

const nested = (depth: number): string => verbatim('['.repeat(depth) + ']'.repeat(depth))

/** A text that might break something. */
export const hostileText = (random: Random): string => {
  if (random.chance(0.02))
    return random.pick(['a', '\\', '😀', '%', ' ', '<']).repeat(random.below(200_000))
  const text = random.pick(texts)
  return random.chance(0.2) ? text + random.pick(texts) : text
}

/** Any JSON value, of the wrong type for most places. */
export const hostileValue = (random: Random): unknown => {
  const kind = random.below(10)
  if (kind < 4) return hostileText(random)
  if (kind < 6) return random.pick(numbers)
  if (kind === 6) return random.pick([null, true, false, [], {}, [[]], [{}], { '': '' }])
  if (kind === 7) return random.pick([[null], [1, 'a', null], ['a', 'a'], { a: { a: { a: 1 } } }])
  if (kind === 8) return nested(1 + random.below(random.chance(0.05) ? 20_000 : 200))
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [
      hostileText(random).slice(0, 1000),
      random.pick(numbers),
    ]),
  )
}
