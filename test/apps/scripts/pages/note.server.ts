import '../shared.server.ts'

export const action = () => void globalThis.hydrantNotes++
