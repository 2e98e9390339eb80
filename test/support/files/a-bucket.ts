/** A bucket of a small server in this process that speaks the protocol of S3. */
import S3rver from '@20minutes/s3rver'
import type { FilesBucket } from '../../../src/config/files-place.ts'
import { afterwards } from '../afterwards.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Starts it; it signs the path of a bucket otherwise than the library does. */
export const startBucket = async (): Promise<FilesBucket> => {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    allowMismatchedSignatures: true,
    directory: temporaryFolder(),
    configureBuckets: [{ name: 'shop' }],
  })
  const { port } = await server.run()
  afterwards(() => server.close())
  return {
    bucket: 'shop',
    prefix: 'files/',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  }
}

/** The settings of a service that uses a bucket. */
export const settingsOf = ({ bucket, prefix, endpoint, region, credentials }: FilesBucket) => ({
  FILES_URL: `s3://${bucket}/${prefix}?region=${region}&endpoint=${encodeURIComponent(endpoint ?? '')}`,
  FILES_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
  FILES_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
})
