/** What a program of ours gets of the environment: where programs are found, and no secret. */
export const plainEnvironment = (): Readonly<Record<string, string>> => {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) }
}
