/** Locates a program or thread that another file starts. */

/** A module beside the file that names it: the built package has .js where the source has .ts. */
export const programBeside = (file: string, name: string): URL =>
  new URL(`./${name}${file.slice(file.lastIndexOf('.'))}`, file)
