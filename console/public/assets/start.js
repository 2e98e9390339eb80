// What has to be done before the scripts of the page are there: it runs before the first paint.
{
  /** Applies the chosen theme and density; without a choice those of the system hold. */
  const applyLook = () => {
    const { dataset } = document.documentElement
    const theme = localStorage.getItem('docket.theme')
    if (theme === 'light' || theme === 'dark') dataset.theme = theme
    if (localStorage.getItem('docket.density') === 'compact') dataset.density = 'compact'
  }

  const baseOf = (tag) => tag?.split('-')[0]

  /**
   * Asks in the chosen language for what every page reads first: what the page itself asks for comes in the language of the
   * browser. The page of a user without a session names nothing.
   */
  const askInChosenLanguage = () => {
    const chosen = localStorage.getItem('docket.language')
    const { languages } = navigator
    if (!/^[a-z]{2}$/.test(chosen ?? '') || baseOf(languages[0]) === chosen) return
    const regions = languages.filter((tag) => baseOf(tag) === chosen)
    const others = languages.filter((tag) => baseOf(tag) !== chosen).map((tag) => `${tag};q=0.5`)
    const language = [...regions, chosen, ...others].join(', ')
    const headers = { Accept: 'application/json', 'Accept-Language': language }
    const answers = new Map()
    for (const link of document.querySelectorAll('link[rel=preload][data-has-words]')) {
      // Of another mode than the request of the page, whose answer it must not get.
      const answer = fetch(link.href, { headers, credentials: 'include' })
      answer.catch(() => undefined)
      answers.set(link.getAttribute('href'), answer)
    }
    globalThis.docketFirst = { language, answers }
  }

  try {
    applyLook()
    askInChosenLanguage()
  } catch {
    // Storage is off: what the user chose comes with their settings.
  }
}
