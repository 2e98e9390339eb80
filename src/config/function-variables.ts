/** What the code of a project gets of the environment: the variables that are meant for it, and no others. */

const prefix = 'DOCKET_FN_'

/** Variables whose names begin with `DOCKET_FN_`, by their whole names; they may hold secrets. */
export const functionVariables = (
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name, value]] : [],
    ),
  )
