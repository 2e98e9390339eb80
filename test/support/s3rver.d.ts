/** What tests use of a server that speaks the protocol of S3. */
declare module '@20minutes/s3rver' {
  type Options = {
    readonly port: number
    readonly address: string
    readonly silent: boolean
    readonly allowMismatchedSignatures: boolean
    readonly directory: string
    readonly configureBuckets: readonly { readonly name: string }[]
  }
  // biome-ignore lint/style/noDefaultExport: so the package exports it.
  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
