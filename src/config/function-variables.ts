/** The environment variables for the code of a project. */

const prefix = 'DOCKET_FN_'

/** Variables whose names begin with `DOCKET_FN_`; they may hold secrets. */
export const functionVariables = (
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name, value]] : [],
    ),
  )
