/** Calls to another thread or process that have no result yet. */
export interface PendingCalls {
  /** Posts a call with a new id. The promise settles with the result for this id. Rejects if `post` throws. */
  call(post: (id: number) => void): Promise<unknown>
  resolve(id: number, value: unknown): void
  reject(id: number, error: Error): void
  /** The number of pending calls. */
  count(): number
  rejectAll(error: Error): void
}

export function createPendingCalls(): PendingCalls {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0

  function take(id: number) {
    const call = pending.get(id)
    pending.delete(id)
    return call
  }

  return {
    call: (post) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        pending.set(id, { resolve, reject })
        try {
          post(id)
        } catch (error) {
          pending.delete(id)
          throw error
        }
      }),
    resolve: (id, value) => take(id)?.resolve(value),
    reject: (id, error) => take(id)?.reject(error),
    count: () => pending.size,
    rejectAll(error) {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
  }
}
