import { truncateSync } from 'node:fs'
import { nodeSinkFs, type SinkFs } from '#platform/audit-sink/sink-fs.ts'

/** The file system of the machine with a disk that can fill up, fail, and forget what was never synced. */
export const faultyFs = () => {
  const disk = {
    /** Bytes until the disk is full; a write that does not fit stops half way. */
    free_bytes: Number.POSITIVE_INFINITY,
    /** How many of the next datasync calls fail, and what happens to the bytes they were asked for. */
    failing_syncs: 0,
    on_failed_sync: 'kept' as 'kept' | 'lost',
    /** Opens this device in place of the log. */
    device: undefined as string | undefined,
    refuse_truncate: false,
    syncs: 0,
    writes: 0,
    /** Size of the log at the last datasync that went well. */
    synced_bytes: 0,
  }
  const errno = (code: string) => Object.assign(new Error(`${code}: injected`), { code })

  const fs: SinkFs = {
    ...nodeSinkFs,
    async open(path, options) {
      const file = await nodeSinkFs.open(disk.device ?? path, options)
      disk.synced_bytes = await file.size()
      return {
        ...file,
        append(bytes) {
          disk.writes += 1
          if (disk.free_bytes <= 0) throw errno('ENOSPC')
          const written = file.append(bytes.subarray(0, Math.min(bytes.length, disk.free_bytes)))
          disk.free_bytes -= written
          return written
        },
        async datasync() {
          disk.syncs += 1
          if (disk.failing_syncs > 0) {
            disk.failing_syncs -= 1
            if (disk.on_failed_sync === 'lost') truncateSync(path, disk.synced_bytes)
            throw errno('EIO')
          }
          await file.datasync()
          disk.synced_bytes = await file.size()
        },
        async truncate(size) {
          if (disk.refuse_truncate) throw errno('EROFS')
          await file.truncate(size)
        },
      }
    },
  }
  return { disk, fs }
}
