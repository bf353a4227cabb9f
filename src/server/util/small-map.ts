/** A map that usually has one entry. A `Map` for the others is created with the second. */
export class SmallMap<Key, Value> {
  #first: { key: Key; value: Value } | null = null
  #others: Map<Key, Value> | null = null

  get(key: Key): Value | undefined {
    return this.#first !== null && Object.is(this.#first.key, key) ? this.#first.value : this.#others?.get(key)
  }

  set(key: Key, value: Value) {
    if (this.#first === null || Object.is(this.#first.key, key)) this.#first = { key, value }
    else {
      this.#others ??= new Map()
      this.#others.set(key, value)
    }
  }
}
