import { closeSync, constants, fdatasyncSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Fills the buffer from a byte offset; answers how many bytes there were, 0 at the end. */
export type ReadAt = (buffer: Buffer, position: number) => Promise<number>

/** An open log. `append` may write less than it is given, as `write(2)` may. */
export interface SinkFile {
  readAt: ReadAt
  size(): Promise<number>
  /** Bytes in the file at the path; -1 when the path no longer names this file. Cheap: called at every flush. */
  sizeAtPath(): number
  append(bytes: Uint8Array): number
  datasync(): Promise<void>
  truncate(size: number): Promise<void>
  close(): Promise<void>
}

/** The file system operations of the file sink; a port, so that tests can fill the disk and fail the device. */
export interface SinkFs {
  open(path: string, options: { create: boolean }): Promise<SinkFile>
  /** Keeps bytes that are about to be cut from a log: appends them to a side file, durably. */
  keepAside(path: string, bytes: Uint8Array): Promise<void>
}

/** The file system of the machine. Creates the log with mode 0600 and makes its directory entry durable. */
export const nodeSinkFs: SinkFs = {
  async open(path, { create }) {
    const { O_RDWR, O_APPEND, O_CREAT } = constants
    if (!create) return sinkFile(path, await open(path, O_RDWR | O_APPEND))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const handle = await open(path, O_RDWR | O_APPEND | O_CREAT, 0o600)
    syncDirectory(dirname(path))
    return sinkFile(path, handle)
  },
  async keepAside(path, bytes) {
    const handle = await open(path, 'a', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  },
}

const sinkFile = async (path: string, handle: FileHandle): Promise<SinkFile> => {
  const { ino, dev } = await handle.stat()
  return {
    readAt: readFrom(handle),
    size: async () => (await handle.stat()).size,
    sizeAtPath() {
      const found = statSync(path, { throwIfNoEntry: false })
      return found && found.ino === ino && found.dev === dev ? found.size : -1
    },
    // Into the page cache on the spot: a thread-pool round trip would cost more than the copy. The wait is in datasync.
    append: (bytes) => writeSync(handle.fd, bytes),
    datasync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  }
}

/** Reads an open file by offset. */
export const readFrom =
  (handle: FileHandle): ReadAt =>
  async (buffer, position) =>
    (await handle.read(buffer, 0, buffer.length, position)).bytesRead

const syncDirectory = (path: string): void => {
  const fd = openSync(path, constants.O_RDONLY)
  try {
    fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
