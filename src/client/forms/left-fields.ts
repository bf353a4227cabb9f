// Keeps what a visitor has typed on a page when a link leads away from it. When the visitor is back, the fields are filled
// in again, as a browser does for documents.

import { isChanged, isTouched } from '../field-defaults.ts'
import { type Field, fill, isKept, KEPT_MS, readValue } from '../typed-text.ts'
import { placesOfFields } from './keep-fields.ts'

/** By the place of the field. */
type Left = Map<string, { field: Field; value: ReturnType<typeof readValue> }>

/** Creates the functions that remember the fields of a page, and fill them in. */
export function createLeftFields() {
  /** By the key of the page's entry of the history. */
  const pages = new Map<string, Left>()

  return {
    /** To be called before another page is shown. */
    leave() {
      const key = navigation.transition?.from.key
      if (!key) return
      const left: Left = new Map()
      for (const [place, field] of placesOfFields()) {
        if (isKept(field) && (isTouched(field) || isChanged(field))) left.set(place, { field, value: readValue(field) })
      }
      pages.set(key, left)
      setTimeout(() => pages.get(key) === left && pages.delete(key), KEPT_MS)
    },
    /** To be called when the page is shown. */
    arrive({ destination, navigationType }: NavigateEvent) {
      if (navigationType !== 'traverse') return
      const left = pages.get(destination.key) ?? []
      // The visitor may send the form now, and come back to it.
      pages.delete(destination.key)
      const places = placesOfFields()
      for (const [place, { field: old, value }] of left) {
        const field = places.get(place)
        // The field of a layout that stays has its text.
        if (!field || old.isConnected || !isKept(field)) continue
        if (JSON.stringify(readValue(field)) !== JSON.stringify(value)) fill(field, value)
      }
    },
  }
}
