/** What browser and system a User-Agent names, as far as one can tell. */

// The first that fits: browsers also name those that they want to be taken for.
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

export const describeBrowser = (userAgent: string): Names => ({
  browser: browsers.find(([mark]) => userAgent.includes(mark))?.[1],
  system: systems.find(([mark]) => userAgent.includes(mark))?.[1],
})
