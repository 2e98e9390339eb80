/** The form in which texts are kept and compared when upper and lower case are the same. */

/** The text in lower case, whatever the language of the machine. */
export const lowerCase = (text: string): string => text.toLowerCase()
