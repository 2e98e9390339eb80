/** Values that are computed once for each object, such as an entity, and kept as long as the object is. */

/** Returns a function that calls the given one once for each object. */
export const kept = <Of extends object, T>(make: (of: Of) => T): ((of: Of) => T) => {
  const made = new WeakMap<Of, { readonly value: T }>()
  return (of) => {
    const known = made.get(of)
    if (known) return known.value
    const value = make(of)
    made.set(of, { value })
    return value
  }
}
