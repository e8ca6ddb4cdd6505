/** So many bytes of an answer are read where nothing else is said. */
export const DEFAULT_MAX_BYTES = 1_048_576
