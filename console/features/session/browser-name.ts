/** What people call a browser and its system, by its User-Agent. */
import { useWorkTexts } from '../../texts/texts.ts'

// The first match counts: browsers also name those that they are compatible with.
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

type Names = { readonly browser: string | undefined; readonly system: string | undefined }

/** The browser and the system that a User-Agent names. */
const describeBrowser = (userAgent: string): Names => ({
  browser: browsers.find(([mark]) => userAgent.includes(mark))?.[1],
  system: systems.find(([mark]) => userAgent.includes(mark))?.[1],
})

/** The name of a browser; without one that is known what it says of itself. */
export const useBrowserName = (userAgent: string | null): string => {
  const texts = useWorkTexts().settings
  const { browser, system } = describeBrowser(userAgent ?? '')
  const described = browser && system ? texts.browserOn(browser, system) : (browser ?? system)
  return described ?? userAgent ?? texts.unknownBrowser
}
