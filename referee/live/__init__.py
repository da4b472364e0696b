"""Refereeing at the table: camera, match on disk, pages and the rights to act, around the pipeline that review uses too."""
