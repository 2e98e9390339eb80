/** Numbers of things, as people read them. */

/** A number with its noun: `counted(1, 'job')` is "1 job", `counted(2, 'entity', 'entities')` is "2 entities". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
