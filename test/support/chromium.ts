/** The Chromium of the tests, from the npm registry. */
import executable from '@sparticuz/chromium'

/** Its path; a machine unpacks it once. */
export const findChromium = async (): Promise<string> =>
  process.env.TEST_CHROMIUM ?? (await executable.executablePath())

export const chromiumFlags = [
  // Tests run as root too, where Chromium has no sandbox of its own.
  '--no-sandbox',
  // Pages of a context share a process, and nothing is drawn by a process of its own: both save processor time.
  '--process-per-site',
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--num-raster-threads=1',
]
