/** The environment of our child programs: where programs are found, and no secret. */
export const childEnvironment = (): Readonly<Record<string, string>> => {
  const { PATH, SystemRoot } = process.env
  return { ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) }
}
