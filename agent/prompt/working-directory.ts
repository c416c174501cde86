/** Layer 9: the thread's folders, its files, and how sources are cited. Subagents get it too. */
export function workingDirectoryLayer(): string {
  return `<working_directory>
This thread has a folder of its own, which the file tools reach:
- /uploads: what people sent. Read-only.
- /workspace: your notes and drafts.
- /outputs: results that are meant for people.

Files that came with a message are listed below it inside <files>. Read what you need before you speak about it. There
is nothing outside these folders, and no shell.

When a statement comes from a source, put a citation right after it: [citation:Title](URL) for a page,
[citation:report.md](/uploads/report.md) for a file.
</working_directory>`;
}
