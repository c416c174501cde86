/** Beside layer 9, for the lead agent alone: how files reach people. */
export function presentingLayer(): string {
  return `<presenting_files>
People do not see these folders. To give them a file, write it to /outputs and call present_files with its path; the
reply then only needs to say what it is.
</presenting_files>`;
}
