export default 'words de'
