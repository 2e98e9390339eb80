/** What `docket doctor` says about the bytes of files: whether the store is there, has what the database knows, and gets thumbnails. */
import { countBlobs, sampleBlobs } from '../blobs/check-blobs.ts'
import { openBlobStore } from '../blobs/open-blob-store.ts'
import { loadSharp } from '../blobs/thumbnails/load-sharp.ts'
import { printBytes, printCount, printSome, verdict } from './check.ts'
import type { DoctorCheck } from './targets.ts'

const samples = 100

export const filesCheck: DoctorCheck = {
  name: 'files',
  run: async ({ database, config }) => {
    const blobs = openBlobStore(config)
    const count = await countBlobs(database)
    const fault = await blobs.findFault()
    if (fault !== undefined)
      return {
        level: 'fail',
        value: fault,
        advice:
          'FILES_URL cannot be used: create the folder, or mount it, for the user of the service; a bucket has to take its credentials.',
      }
    const wrong = await sampleBlobs({ database, blobs }, samples)
    const hasThumbnails = (await loadSharp()) !== undefined
    const known = `${printCount(count.blobs, 'file')}, ${printBytes(count.bytes)} in ${blobs.name}`
    const found = hasThumbnails ? known : `${known}; without thumbnails: "sharp" is not installed`
    return {
      ...verdict(
        wrong.length > 0 ? 'fail' : 'ok',
        wrong.length > 0 ? `missing in ${blobs.name}: ${printSome(wrong)}` : found,
        'Is it the folder of this database? "docket files --check" lists all that is missing; restore it from a backup.',
      ),
      facts: { ...count, wrong, hasThumbnails },
    }
  },
}
