/** Where a user has just signed in: the address may be one that another user had opened. */

let signedInAt: string | undefined

export const noteSignedIn = (): void => {
  signedInAt = window.location.href
}

/** Whether the user has signed in at this address, and has been nowhere else since. */
export const hasSignedInHere = (): boolean => signedInAt === window.location.href
