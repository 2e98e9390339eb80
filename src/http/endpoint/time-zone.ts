/** The parameter `timeZone`, for lists that depend on when a day begins. */
import { type Parameter, quoted } from './parameters.ts'

/** An IANA time zone, such as `Europe/Zagreb`. */
export const timeZone = (description: string): Parameter<string, undefined> => ({
  description,
  schema: { type: 'string', examples: ['Europe/Zagreb'] },
  absent: undefined,
  read: (given) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
    } catch {
      return { issue: `must be an IANA time zone, such as Europe/Zagreb, not ${quoted(given)}` }
    }
  },
})
