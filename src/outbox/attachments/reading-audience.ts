/** Who of an audience reads PDFs in which language and time zone: a part of the name of the audience that gets the same ones. */
import type { UserReading } from '../../users/user-readings.ts'

// Names of audiences have letters, digits, "-", "_" and ".".
const mark = '~'

/** The audience of those who read alike; its own name for the language and the zone of the project. */
export const audienceReading = (
  audience: string,
  project: UserReading,
  { catalog, timeZone }: UserReading,
): string =>
  catalog.locale === project.catalog.locale && timeZone === project.timeZone
    ? audience
    : [audience, catalog.locale, timeZone].join(mark)

/** The audience without the way in which it reads. */
export const audienceOfAnyReading = (name: string): string => name.split(mark, 1).join()
