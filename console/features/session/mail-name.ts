/** What the name of the file of a caught e-mail says: `<time>_<address>_<hash>.eml`. */

/** The address, or the whole name of a file that was named by somebody else. */
export const addressOf = (name: string): string => {
  const [, address] = /^[\dT:.Z-]+_(.+)_[0-9a-f]{16}\.eml$/.exec(name) ?? []
  return address ?? name
}
