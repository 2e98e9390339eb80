/** Counts of several parts as those of one, such as the connections of several pools. */

/** Sums of what `parts` returns, at each access. */
export const sumOfCounts = <Name extends string>(
  names: readonly Name[],
  parts: () => readonly Readonly<Record<Name, number>>[],
): Readonly<Record<Name, number>> =>
  Object.defineProperties(
    {} as Record<Name, number>,
    Object.fromEntries(
      names.map((name) => [
        name,
        { enumerable: true, get: () => parts().reduce((sum, part) => sum + part[name], 0) },
      ]),
    ),
  )
