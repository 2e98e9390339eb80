/** What `start.js` has asked for in the language of the user, before the scripts of the page were there. */
type FirstAnswers = {
  /** The header that it was asked with. */
  readonly language: string
  readonly answers: Map<string, Promise<Response>>
}

const { docketFirst } = globalThis as { readonly docketFirst?: FirstAnswers }

/** The answer to a request that was sent already with the same header; each is given once. */
export const takeFirstAnswer = (
  url: string,
  language: string | undefined,
): Promise<Response> | undefined => {
  if (!docketFirst || docketFirst.language !== language) return undefined
  const answer = docketFirst.answers.get(url)
  docketFirst.answers.delete(url)
  return answer
}

/** Forgets the others: they were asked for in a session that has ended. */
export const forgetFirstAnswers = (): void => docketFirst?.answers.clear()
