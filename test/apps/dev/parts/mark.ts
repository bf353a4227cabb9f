export const MARK = '.'
