/** Who signed in before the console was seen as somebody else. The browser keeps the id, and nothing else of the user. */

const name = 'docket.firstUser'

// Without storage there is no way back but that of the menu.
const tryTo = <T>(act: () => T): T | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** The id of another user than this one; undefined where nobody became somebody else. */
export const firstUserBefore = (userId: number): number | undefined => {
  const id = Number(tryTo(() => localStorage.getItem(name)) ?? Number.NaN)
  return Number.isSafeInteger(id) && id !== userId ? id : undefined
}

/** Whoever becomes one user after the other goes back to the first. */
export const keepFirstUser = (userId: number): void => {
  tryTo(() => localStorage.getItem(name) ?? localStorage.setItem(name, String(userId)))
}

export const forgetFirstUser = (): void => {
  tryTo(() => localStorage.removeItem(name))
}
