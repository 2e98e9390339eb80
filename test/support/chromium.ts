/** The Chromium of the tests, from the npm registry. */
import executable from '@sparticuz/chromium'

/** Its path; a machine unpacks it once. */
export const findChromium = async (): Promise<string> =>
  process.env.TEST_CHROMIUM ?? (await executable.executablePath())
